import type { Loss } from '../../loss/index.js';
import { scorers } from '../../model/scorer/kinds.js';
import type { BatchNegatives } from '../../run/plan.js';
import { DirectStep, type DirectStepOptions } from './direct-step.js';
import { type TowerScoresOptions, towerScores } from './tower-scores.js';

export interface TowerStepOptions
  extends Omit<TowerScoresOptions, 'scorer'>,
    Omit<DirectStepOptions, 'scores' | 'losses'> {
  loss: Loss;
  scale?: number;
  negatives?: BatchNegatives;
}

/** The scorer that a number of pieces asks for. */
export function scorerFor(maxPieces = 1): TowerScoresOptions['scorer'] {
  return scorers.get(maxPieces > 1 ? 'max' : 'dot').create({});
}

/** A step of encoders with one loss. */
export function towerStep({ loss, scale, negatives, ...options }: TowerStepOptions): Promise<DirectStep> {
  const scores = towerScores({ ...options, scorer: scorerFor(options.maxPieces) });
  const { parameters, learns, session } = options;
  return DirectStep.create({
    scores,
    losses: [{ loss, scale, negatives }],
    parameters,
    session,
    ...(learns && { learns }),
  });
}
