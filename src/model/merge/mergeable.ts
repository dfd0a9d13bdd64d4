import { isDeepStrictEqual } from 'node:util';
import { NearmissError } from '../../base/errors.js';
import type { ParameterStore } from '../../engine/index.js';
import type { Tokenizer } from '../../text/tokenizer.js';
import type { EncoderConfig } from '../encoder/config.js';

/** What has to be the same in models that are merged: numbers that mean different things have no mean. */
export interface Mergeable {
  /** What errors call it. */
  origin: string;
  parameters: ParameterStore;
  tokenizer: Tokenizer;
  config: EncoderConfig;
  /** Settings of a kind of model alone: pooling, prompts … */
  more: Readonly<Record<string, unknown>>;
}

/** What shapes of parameters do not show. */
const SETTINGS = ['architecture', 'heads', 'layerNormEps', 'hiddenAct', 'positionOffset'] as const;

/** Refuses a model that cannot be merged with the first, and names the parameter or setting that differs. */
export function checkMergeable(first: Mergeable, other: Mergeable): void {
  checkParameters(first, other);
  for (const setting of SETTINGS) {
    expectSame({ first, other, setting }, first.config[setting], other.config[setting]);
  }
  if (!first.tokenizer.readsLike(other.tokenizer)) {
    throw new NearmissError(
      `${other.origin}: its tokenizer.json is not that of ${first.origin}: the same row of the word embeddings stands for different words`,
      { hint: 'merge models that were trained from the same start' },
    );
  }
  for (const setting of new Set([...Object.keys(first.more), ...Object.keys(other.more)])) {
    expectSame({ first, other, setting }, first.more[setting], other.more[setting]);
  }
}

function checkParameters(first: Mergeable, other: Mergeable): void {
  const shapes = new Map(other.parameters.specs.map(({ name, shape }) => [name, shape]));
  for (const { name, shape } of first.parameters.specs) {
    const found = shapes.get(name);
    if (found && isDeepStrictEqual([...found], [...shape])) continue;
    const got = found ? `[${found.join(', ')}]` : 'none';
    throw unlike(
      `${other.origin}: ${name}: expected [${shape.join(', ')}] as in ${first.origin}, got ${got}`,
    );
  }
  const surplus = other.parameters.names.find((name) => !first.parameters.has(name));
  if (surplus !== undefined) {
    throw unlike(`${other.origin}: ${surplus}: expected no such parameter, as ${first.origin} has none`);
  }
}

function expectSame(
  { first, other, setting }: { first: Mergeable; other: Mergeable; setting: string },
  expected: unknown,
  got: unknown,
): void {
  if (isDeepStrictEqual(expected, got)) return;
  const shown = (value: unknown): string => JSON.stringify(value) ?? 'none';
  throw unlike(
    `${other.origin}: ${setting}: expected ${shown(expected)} as in ${first.origin}, got ${shown(got)}`,
  );
}

function unlike(message: string): NearmissError {
  return new NearmissError(message, {
    hint: 'only models of one architecture can be merged, such as several trainings of the same start',
  });
}
