import type { TableKind, TableRow } from '../table/row.js';

/** The same documents of the same queries, of which the loss knows only who is relevant. */
const UNTAUGHT = ['teacher=none', 'loss={name: nll, temperature: 0.05}'];

/**
 * Ways to negatives and teachers, each beside what it is to be better than: all start from the same model and take the same
 * number of steps.
 *
 * @param teacher the cross-encoder that teaches and filters
 * @param labelDepth candidates of a query that it scores beforehand. Default: as the recipes have it
 */
export function tricksTable(teacher: string, labelDepth?: number): TableKind {
  const labelled = [
    `stages.label.make.models=${JSON.stringify([teacher])}`,
    ...(labelDepth === undefined ? [] : [`stages.label.make.depth=${labelDepth}`]),
  ];
  const rows: TableRow[] = [
    { name: 'in-batch', system: 'In-batch', recipe: 'base' },
    { name: 'mined-neg', system: 'Mined once', recipe: 'mined-neg' },
    { name: 'dpr-mined', system: 'DPR, mined round', recipe: 'dpr-mined' },
    { name: 'star', system: 'STAR', recipe: 'star' },
    { name: 'adore', system: 'ADORE', recipe: 'adore' },
    { name: 'star-adore', system: 'STAR → ADORE', recipe: 'star-adore' },
    { name: 'pairs', system: 'Pairs, no teacher', recipe: 'margin-mse', set: [...labelled, ...UNTAUGHT] },
    { name: 'margin-mse', system: 'Margin-MSE', recipe: 'margin-mse', set: labelled },
    { name: 'lists', system: 'Lists, no teacher', recipe: 'kl', set: [...labelled, ...UNTAUGHT] },
    { name: 'kl', system: 'KL', recipe: 'kl', set: labelled },
    {
      name: 'tas-b-shuffled',
      system: 'TAS-B, random batches',
      recipe: 'tas-b',
      set: [...labelled, liveTeacher(teacher), 'stages.train.batch.order={name: shuffled}'],
    },
    { name: 'tas-b', system: 'TAS-B', recipe: 'tas-b', set: [...labelled, liveTeacher(teacher)] },
    {
      name: 'rocketqa-noisy',
      system: 'RocketQA, not denoised',
      recipe: 'rocketqa',
      set: [...labelled, 'stages.denoised.negatives.1.margin=null'],
    },
    { name: 'rocketqa', system: 'RocketQA', recipe: 'rocketqa', set: labelled },
    {
      name: 'rocketqa-v2',
      system: 'RocketQA v2',
      recipe: 'rocketqa-v2',
      set: [`teacher.model=${JSON.stringify(teacher)}`],
    },
    { name: 'embedding-mse', system: 'Vectors of whole MiniLM', recipe: 'embedding-mse' },
    { name: 'gist', system: 'Mined once, guided', recipe: 'gist' },
  ];
  return { title: 'the table of tricks', rows };
}

function liveTeacher(teacher: string): string {
  return `teacher.models=${JSON.stringify([teacher])}`;
}

/** Whether a row learns from the teacher. */
export function needsTeacher({ set = [] }: TableRow): boolean {
  return set.some((setting) => setting.includes('models=') || setting.includes('teacher.model='));
}
