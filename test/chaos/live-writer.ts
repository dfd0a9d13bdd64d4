/**
 * A process that writes until it is killed, and says on stdout which writes were acknowledged:
 * `… <collection> <state> [<writes>]`. A refused write ends it.
 */
import { openLiveSearcher } from '../../src/search/live/index.js';
import { openSearcher } from '../../src/search/open/open-searcher.js';
import { KillModel } from './kill-model.js';

/** Writes under way at the same time, so that some share an fsync. */
const PIPELINED = 8;

const [data, state, limit = 'Infinity'] = process.argv.slice(2);
const live = await openLiveSearcher(await openSearcher(data), { state });
const model = new KillModel();
const first = Number(live.version.split('+')[1]);
while (model.writes < first) model.next();

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
let isRefused = false;
async function writeOn(): Promise<void> {
  while (!isRefused && model.writes < Number(limit)) {
    const { documents, removed } = model.next();
    const { writes } = model;
    try {
      await (documents ? live.upsert(documents) : live.remove(removed));
      say(`acknowledged ${writes}`);
    } catch (error) {
      isRefused = true;
      say(`refused ${(error as Error).message}`);
    }
  }
}
await Promise.all(Array.from({ length: PIPELINED }, writeOn));
await live.close();
