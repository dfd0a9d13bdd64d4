import {
  type Dataset,
  type Document,
  describeLeftOut,
  leavingOutFiles,
  openDataset,
  writeBeir,
} from '../data/index.js';
import { GENERATED_MAKER, surveyPairs } from '../examples/index.js';
import { isOtherScript } from '../text/scripts.js';
import { AdaptedDataset } from './adapted-dataset.js';
import { chooseMix, type Mix } from './choose-mix.js';
import { type MadeQueries, type MadeQuery, makeQueries } from './made-queries.js';
import { type Questions, readQuestions } from './questions.js';
import {
  requireGenerator,
  type WrittenQueries,
  type WrittenQueriesOptions,
  writeQueries,
} from './write-queries.js';

export interface PrepareOptions {
  /** Where the collection with the made queries goes. */
  folder: string;
  seed: number;
  /** A file of questions with the documents that answer them. */
  questions?: string;
  /** Queries to learn from at most. */
  train: number;
  /** Lets a model write queries, too; what it wrote waits in a folder of its own. */
  generate?: WrittenQueriesOptions;
  onDocument?: () => void;
  /** What is left out of a folder. */
  onNote?: (note: string) => void;
}

/** Where queries wait that a model writes for a collection in `folder`. */
export function writtenFolder(folder: string): string {
  return `${folder}-queries`;
}

/** What an adaptation has to go by. */
export interface Prepared {
  name: string;
  documents: number;
  /** Files or articles. */
  sources: number;
  mix: Mix;
  /** Queries that were made, by maker. */
  made: { train: Record<string, number>; heldOut: Record<string, number> };
  questions: number;
  /** What a model wrote, where it was asked to. */
  generated?: WrittenQueries;
  /** The share of documents that are mostly not in Latin letters. */
  otherScripts: number;
  /** Why there is nothing to learn from, where that is so; then no folder was written. */
  tooLittle?: string;
}

/** Fewer queries than these teach nothing, or tell nothing. */
const FEWEST_TO_LEARN = 100;
const FEWEST_TO_MEASURE = 30;
/** Drawn however few are learned from: what is left out as ambiguous, and few steps, are not to look like few documents. */
const LEAST_TO_DRAW = 300;
/** As many as are worth the time to measure with. */
const MOST_TO_MEASURE = 500;
/** From so many on, people's own questions decide instead of made ones. */
export const ENOUGH_QUESTIONS = 50;

/** Makes queries of a collection's documents and writes both as a collection to train on. */
export async function prepareAdaptation(data: string, options: PrepareOptions): Promise<Prepared> {
  const { seed, onDocument, onNote, generate } = options;
  if (generate) await requireGenerator(generate);
  const base = await openDataset(data, { onProblem: await leavingOutFiles(data, onNote) });
  const others = describeLeftOut(base.sources.leftOut);
  if (others !== undefined) onNote?.(others);
  const counted = new CountedDataset(base);
  const survey = await surveyPairs(counted, { samples: 0, seed, onDocument });
  const { documents, sources } = survey;
  const { otherScripts } = counted;
  const chosen = chooseMix(survey.makers);
  const questions =
    options.questions === undefined ? undefined : await readQuestions(options.questions, base);
  const most = { train: Math.max(options.train, LEAST_TO_DRAW), heldOut: MOST_TO_MEASURE };
  const mix = generate ? { ...chosen, train: [GENERATED_MAKER, ...chosen.train] } : chosen;
  const written =
    generate &&
    (await writeQueries(base, writtenFolder(options.folder), {
      ...generate,
      seed,
      sources,
      most: Math.ceil(most.train / mix.train.length),
    }));
  const makers = written ? [written.maker] : [];
  const { queries, ambiguous } = await makeQueries(base, { mix, seed, sources, most, makers });
  const made = { train: tally(queries, false), heldOut: tally(queries, true) };
  const prepared: Prepared = {
    name: base.name,
    documents,
    sources,
    mix,
    made,
    questions: questions?.queries.length ?? 0,
    ...(written && { generated: written.told }),
    otherScripts: otherScripts / Math.max(1, documents),
  };
  const reason = whyTooLittle(made, ambiguous, questions);
  if (reason !== undefined) return { ...prepared, tooLittle: reason };
  await writeBeir(await AdaptedDataset.create(base, queries, questions), options.folder, { overwrite: true });
  return prepared;
}

function whyTooLittle(
  made: Prepared['made'],
  ambiguous: MadeQueries['ambiguous'],
  questions: Questions | undefined,
): string | undefined {
  const all = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b, 0);
  const [train, heldOut] = [all(made.train), all(made.heldOut)];
  const alike = (left: number): string =>
    left > 0 ? `; ${left} more were left out, because several documents answer them alike` : '';
  if (train < FEWEST_TO_LEARN) {
    const besides = heldOut > 0 ? `, besides ${heldOut} to measure with` : '';
    return `${train} pairs could be made to learn from${besides}, and fewer than ${FEWEST_TO_LEARN} teach a model nothing${alike(ambiguous.train)}`;
  }
  const asked = questions?.queries.length ?? 0;
  if (heldOut < FEWEST_TO_MEASURE && asked < ENOUGH_QUESTIONS) {
    return `${heldOut} queries could be held out to measure with, and fewer than ${FEWEST_TO_MEASURE} tell nothing${alike(ambiguous.heldOut)}`;
  }
  return undefined;
}

function tally(queries: readonly MadeQuery[], heldOut: boolean): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const query of queries) {
    if (query.heldOut === heldOut) counts[query.maker] = (counts[query.maker] ?? 0) + 1;
  }
  return counts;
}

/** Counts what is read. */
class CountedDataset implements Dataset {
  readonly name: string;
  readonly #base: Dataset;
  otherScripts = 0;

  constructor(base: Dataset) {
    this.name = base.name;
    this.#base = base;
  }

  async *documents(): AsyncGenerator<Document> {
    this.otherScripts = 0;
    for await (const document of this.#base.documents()) {
      if (isOtherScript(document.text)) this.otherScripts++;
      yield document;
    }
  }

  queries(split?: string): ReturnType<Dataset['queries']> {
    return this.#base.queries(split);
  }

  splits(): Promise<string[]> {
    return this.#base.splits();
  }

  qrels(split: string): ReturnType<Dataset['qrels']> {
    return this.#base.qrels(split);
  }
}
