import type { Keys } from './origin-tree.js';
import type { Problem } from './problems.js';
import type { NegativesRecipe } from './recipe.js';

type SourceField = Exclude<keyof NegativesRecipe, 'source'>;

const RANKED_FIELDS: readonly SourceField[] = [
  'count',
  'depth',
  'sampling',
  'skipRanks',
  'margin',
  'relativeMargin',
  'dropAnswers',
  'keepDuplicates',
];

/** What each source can make use of. */
const SOURCE_FIELDS: Record<NegativesRecipe['source'], readonly SourceField[]> = {
  'in-batch': [],
  'hardest-in-batch': [],
  random: ['count'],
  bm25: RANKED_FIELDS,
  ann: RANKED_FIELDS,
  static: [...RANKED_FIELDS, 'file'],
};

/** The values that ask for nothing; a resolved recipe writes them out. */
const IDLE: Partial<Record<SourceField, unknown>> = {
  count: 0,
  depth: 0,
  sampling: 'uniform',
  skipRanks: 0,
  dropAnswers: false,
  keepDuplicates: false,
};

/** Finds what a source of negatives cannot do. */
export function checkSource(negatives: NegativesRecipe, keys: Keys): Problem[] {
  const problems: Problem[] = [];
  const { source, count, depth, skipRanks, file } = negatives;
  const error = (field: SourceField, message: string, hint: string): number =>
    problems.push({ level: 'error', keys: [...keys, field], message, hint });
  const known = SOURCE_FIELDS[source];
  for (const field of Object.keys(negatives) as (keyof NegativesRecipe)[]) {
    if (field === 'source' || known.includes(field) || negatives[field] === IDLE[field]) continue;
    const takes = known.length > 0 ? `it takes ${known.join(', ')}` : 'it takes no settings';
    error(field, `${source} negatives have no ${field}, got ${negatives[field]}`, takes);
  }
  if (known.includes('count') && count === 0) {
    error('count', 'expected 1 or more, got 0', `raise it, or leave out the ${source} source`);
  }
  if (known.includes('depth') && depth - skipRanks < Math.max(1, count)) {
    const room = skipRanks > 0 ? ` between rank ${skipRanks} and ${depth}` : ` in the first ${depth}`;
    error('depth', `expected room for ${count} negatives${room}`, 'raise depth');
  }
  if (source === 'static' && file === undefined) {
    error(
      'file',
      'static negatives expect a file, got nothing',
      'name a TREC run, a training file or a table of `nearmiss mine`',
    );
  }
  return problems;
}
