import { parentPort, workerData } from 'node:worker_threads';
import { NearmissError } from '../../base/errors.js';
import { Bm25Index } from './bm25-index.js';
import { Bm25Ranker } from './ranker.js';
import type { SearchAnswer, SearchTask, SearchWorkerData } from './search-messages.js';

const { meta, buffers } = workerData as SearchWorkerData;
const ranker = new Bm25Ranker(new Bm25Index(meta, buffers));

parentPort!.on('message', (task: SearchTask) => parentPort!.postMessage(answer(task)));

function answer({ texts, options }: SearchTask): SearchAnswer {
  try {
    return { rankings: texts.map((text) => ranker.rank(text, options)) };
  } catch (error) {
    if (!(error instanceof NearmissError)) throw error;
    return { error: { message: error.message, hint: error.hint } };
  }
}
