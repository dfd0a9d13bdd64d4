import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import type { Document } from '../../data/index.js';
import { isRun } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { readSearchedRun } from '../../run/searched-run.js';
import { bestSoFar } from '../../run/step-evaluation.js';
import { wordCount } from '../../text/split-text.js';

/** What is told of a collection besides what its index knows; nothing of it may keep a search waiting. */
export interface CollectionAbout {
  /** What the model's training began with, and when it was measured best. */
  model?: () => Promise<{ label: string; base: string; trainedAt?: string } | undefined>;
  /** Queries to try. */
  examples?: () => Promise<string[]>;
}

const EXAMPLES = 5;
/** Queries and titles looked at to find them. */
const LOOKED_AT = 400;
const SHORTEST = 8;
const LONGEST = 90;

/**
 * About a run, an index or a collection.
 *
 * @param options.run says which run's model answers now; none where it is as published
 */
export function aboutTarget(
  target: string,
  options: { data?: string; run: () => string | undefined },
): CollectionAbout {
  let examples: Promise<string[]> | undefined;
  return {
    model: () => trainedModel(options.run()),
    examples: () => {
      examples ??= findExamples(target, options.data).catch(() => []);
      return examples;
    },
  };
}

async function trainedModel(folder: string | undefined): ReturnType<NonNullable<CollectionAbout['model']>> {
  if (folder === undefined) return undefined;
  const run = new RunDirectory(folder);
  const { recipe } = await readSearchedRun(run);
  const base = recipe.model.init;
  // What was learned may not have been better: then the run's model is the one that it began with.
  if ((await bestSoFar(run))?.step === 0) return { label: base, base };
  const best = await stat(run.file('best.json')).catch(() => undefined);
  return { label: basename(resolve(folder)), base, ...(best && { trainedAt: best.mtime.toISOString() }) };
}

/** Queries that somebody has judged, else titles of documents: what there is certainly something to be found for. */
async function findExamples(target: string, data: string | undefined): Promise<string[]> {
  const path =
    data ?? ((await isRun(target)) ? (await readSearchedRun(new RunDirectory(target))).data : target);
  const { openDataset } = await import('../../data/open.js');
  const dataset = await openDataset(path);
  const queries = await some(texts(dataset.queries()));
  return queries.length > 0 ? queries : some(titles(dataset.documents()));
}

async function* texts(queries: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of queries) yield text;
}

/** Of a passage its own heading: nobody asks for the trail of all that it is under. */
async function* titles(documents: AsyncIterable<Document>): AsyncGenerator<string> {
  const { TRAIL_SEPARATOR } = await import('../../data/readers/passages.js');
  for await (const { title = '', metadata } of documents) {
    yield typeof metadata?.heading === 'string' ? title.split(TRAIL_SEPARATOR).at(-1)! : title;
  }
}

/** A few that are different and of a length to be read, from the whole of those looked at. */
async function some(candidates: AsyncIterable<string>): Promise<string[]> {
  const found = new Set<string>();
  let looked = 0;
  for await (const candidate of candidates) {
    const text = candidate.trim();
    if (text.length >= SHORTEST && text.length <= LONGEST) found.add(text);
    if (++looked === LOOKED_AT) break;
  }
  // "Synopsis" or "publishConfig" is nothing that anybody would ask.
  const phrases = [...found].filter((text) => wordCount(text) > 1);
  const all = phrases.length >= EXAMPLES ? phrases : [...found];
  const step = Math.max(1, Math.floor(all.length / EXAMPLES));
  return all.filter((_, nth) => nth % step === 0).slice(0, EXAMPLES);
}
