import { closingAfter } from '../../base/closing.js';
import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { fillPseudoFolder, type PseudoLabels } from '../../examples/index.js';
import type { pseudoLabelKind } from '../../recipe/makers/pseudo-label-kind.js';
import type { TrainingData } from '../../run/training-data.js';
import type { TextPair } from '../../text/tokenizer.js';
import { trainedKinds } from '../model/kinds.js';
import { openTaughtTexts } from '../task/taught-texts.js';
import type { MakeContext } from './make-context.js';
import { openRecipeScorers } from './recipe-scorers.js';

type PseudoLabelOptions = OptionsOf<(typeof pseudoLabelKind)['options']>;
type PseudoExample = PseudoLabels['examples'][number];

/** Queries between two looks at whether to stop. */
const PROGRESS_QUERIES = 16;

/** Opens the maker `pseudo-label` (RocketQA's last step, Qu et al. 2021). */
export async function makePseudoLabels(options: PseudoLabelOptions, context: MakeContext): Promise<void> {
  const { run, recipe, data, session, folder, stage, progress, signal, events, tell } = context;
  const queries = await unjudged(data);
  if (queries.length === 0) {
    await events.write({
      type: 'log',
      level: 'warning',
      message: `stage ${stage.name}: every query of the collection is judged in one of its splits, so that there is none to label; add queries without judgments to the collection, or leave the stage out`,
    });
  }
  const kind = trainedKinds.get(recipe.model.kind);
  await closingAfter(async (closing) => {
    const search = { run, recipe, data, session, signal };
    const checkpoint = await closing.add(kind.openCheckpoint(stage.start, search));
    const texts = await closing.add(openTaughtTexts(data));
    const teachers = await closing.add(openRecipeScorers(options.models, context));
    const retriever = teachers.scorers.findIndex(({ givesLogits }) => !givesLogits);
    if (retriever >= 0) throw noProbabilities(stage.name, options.models[retriever]);
    const examples: PseudoExample[] = [];
    let done = 0;
    for await (const { query, ids } of checkpoint.search(queries, options.depth)) {
      const pairs = Array.from(ids, (id): TextPair => [texts.query(query), texts.document(id)]);
      const example = judge(query, ids, await teachers.score(pairs), options);
      if (example) examples.push(example);
      if (++done % PROGRESS_QUERIES !== 0) continue;
      await progress(done, queries.length);
      signal.throwIfAborted();
    }
    await progress(queries.length, queries.length);
    const dataFingerprint = data.tables.dataFingerprint;
    await fillPseudoFolder(folder, { dataFingerprint, asked: queries.length, examples });
    tell({ queries: queries.length, examples: examples.length });
    const message = `stage ${stage.name}: of ${queries.length} queries without judgments ${examples.length} have a document that is relevant with a probability of ${options.positive} or more`;
    await events.write({ type: 'log', level: 'info', message });
  });
}

/** What comes of a query: its best document where that is good enough, against the first ones that are bad enough. */
export function judge(
  query: number,
  ids: ArrayLike<number>,
  scores: Float32Array,
  { positive, negative, count }: Pick<PseudoLabelOptions, 'positive' | 'negative' | 'count'>,
): PseudoExample | undefined {
  const probabilities = scores.map((score) => 1 / (1 + Math.exp(-score)));
  const best = probabilities.reduce((top, p, place) => (p > probabilities[top] ? place : top), 0);
  if (!(probabilities[best] >= positive)) return undefined;
  const negatives = Array.from(ids).filter((_, place) => place !== best && probabilities[place] <= negative);
  return { query, positive: ids[best], negatives: negatives.slice(0, count) };
}

/** Queries that no split has a judgment of: those of dev and test splits are none. */
async function unjudged({ dataset, queries }: TrainingData): Promise<Int32Array> {
  const judged = new Set<string>();
  for (const split of await dataset.splits()) {
    for (const id of (await dataset.qrels(split)).keys()) judged.add(id);
  }
  const numbers: number[] = [];
  for await (const { id } of dataset.queries()) {
    if (!judged.has(id)) numbers.push(queries.cache.indexOf(id));
  }
  return Int32Array.from(numbers.filter((number) => number >= 0));
}

function noProbabilities(stage: string, model: string): NearmissError {
  return new NearmissError(`stage ${stage}: ${model} is a retriever, whose scores are no probabilities`, {
    hint: 'name a cross-encoder, e.g. a run of the recipe reranker',
  });
}
