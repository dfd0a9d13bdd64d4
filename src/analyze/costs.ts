import { relative } from 'node:path';
import { NearmissError } from '../base/errors.js';
import { secondsOf } from '../base/numbers/seconds-since.js';
import type { StepEvaluation } from '../run/step-evaluation.js';
import type { OpenCheckpoint } from './corpus/open-checkpoint.js';
import type { RunHistory } from './history.js';
import { median } from './statistics.js';

/** Queries encoded and searched to see how long that takes. */
const QUERIES = 64;
const SERVED = 100;

/** One line of the cost table. */
export interface Cost {
  part: 'refresh' | 'training' | 'serving';
  what: string;
  /** Seconds for the whole of it, where it has a whole. */
  seconds?: number;
  /** Seconds for one of `unit`. */
  each?: number;
  unit?: string;
  /** From the run's events, or measured now, on this machine and with these threads. */
  origin: 'events' | 'measured';
}

export interface Costs {
  threads: RunHistory['threads'];
  rows: Cost[];
  /** How many steps the Trainer takes while one refresh lasts: the smallest age that negatives can have. */
  stepsPerRefresh?: number;
}

/** What the parts of training and serving cost (Table 5 of the ANCE paper). */
export async function costsOf(checkpoint: OpenCheckpoint, history: RunHistory): Promise<Costs> {
  const refresh = await refreshCosts(checkpoint, history);
  const { queries, accumulate } = checkpoint.stage.batch;
  const ofStage = (column: readonly number[]): number =>
    median(column.slice(checkpoint.stage.start, checkpoint.stage.end).filter(Number.isFinite));
  const step = ofStage(history.steps.seconds);
  const making = ofStage(history.steps.batchSeconds);
  const rows: Cost[] = [
    {
      part: 'refresh',
      what: 'encode the corpus',
      seconds: refresh.encode,
      each: refresh.encode / refresh.documents,
      unit: 'document',
      origin: 'events',
    },
    { part: 'refresh', what: 'build the index', seconds: refresh.index, origin: 'events' },
    {
      part: 'refresh',
      what: 'search (queries encoded and searched)',
      seconds: refresh.search,
      each: refresh.search / refresh.queries,
      unit: 'query',
      origin: 'events',
    },
    {
      part: 'training',
      what: `search for the ${queries} queries of a batch`,
      each: (queries * refresh.search) / refresh.queries,
      unit: 'batch',
      origin: 'events',
    },
    {
      part: 'training',
      what: 'make a batch (draw negatives, read tokens)',
      each: making / accumulate,
      unit: 'batch',
      origin: 'events',
    },
    {
      part: 'training',
      what: 'forward, backward, update (a step less making its batch)',
      each: Math.max(0, step - making) / accumulate,
      unit: 'batch',
      origin: 'events',
    },
    ...(await servingCosts(checkpoint)),
  ];
  const whole = refresh.encode + refresh.index + refresh.search;
  return {
    threads: history.threads,
    rows: rows.filter(({ seconds, each }) => Number.isFinite(seconds ?? each)),
    ...(Number.isFinite(whole / step) && { stepsPerRefresh: whole / step }),
  };
}

interface RefreshCosts {
  encode: number;
  index: number;
  search: number;
  documents: number;
  queries: number;
}

/** Medians over refreshes or, in a run without ANN negatives, over the passes made to measure. */
async function refreshCosts(checkpoint: OpenCheckpoint, { refreshes }: RunHistory): Promise<RefreshCosts> {
  // One that found its index on disk, after a crash, did not encode.
  const whole = refreshes.filter(({ encodeSeconds }) => encodeSeconds > 0);
  if (whole.length > 0) {
    return {
      encode: median(whole.map(({ encodeSeconds }) => encodeSeconds)),
      index: median(whole.map(({ indexSeconds }) => indexSeconds)),
      search: median(whole.map(({ searchSeconds }) => searchSeconds)),
      documents: whole[0].documents,
      queries: median(whole.map(({ queries }) => queries)),
    };
  }
  const measured: StepEvaluation[] = [];
  for (const step of await checkpoint.run.steps('evaluations')) {
    const file = relative(checkpoint.run.path, checkpoint.run.stepPath('evaluations', step));
    const evaluation = await checkpoint.run.readJson<StepEvaluation>(file);
    if (evaluation && evaluation.seconds.encode > 0) measured.push(evaluation);
  }
  return {
    encode: median(measured.map(({ seconds }) => seconds.encode)),
    index: median(measured.map(({ seconds }) => seconds.index)),
    search: median(measured.map(({ seconds }) => seconds.search)),
    documents: checkpoint.data.documents.count,
    queries: median(measured.map(({ queries }) => queries)),
  };
}

async function servingCosts({ data, queryEncoder, corpus }: OpenCheckpoint): Promise<Cost[]> {
  const count = Math.min(QUERIES, data.queries.count);
  if (count === 0) throw new NearmissError(`${data.dataset.name}: expected queries, got none`);
  const texts = await data.queries.texts(Array.from({ length: count }, (_, query) => query));
  const { vectors, offsets } = await queryEncoder.encodeTokens(texts);
  const encode = await secondsOf(() => queryEncoder.encodeTokens(texts));
  await corpus.search(vectors, SERVED, offsets);
  const search = await secondsOf(() => corpus.search(vectors, SERVED, offsets));
  const row = (what: string, seconds: number): Cost => ({
    part: 'serving',
    what,
    each: seconds / count,
    unit: 'query',
    origin: 'measured',
  });
  return [
    row(`encode a query (${count} at once)`, encode),
    row(`exact top ${SERVED} (${count} at once)`, search),
    row('both', encode + search),
  ];
}
