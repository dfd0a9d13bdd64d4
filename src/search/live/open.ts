import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { unwritable } from '../../base/files.js';
import { holdFileLock } from '../../base/lock/file-lock.js';
import { adviceOn, describeHolder } from '../../base/lock/lock-holder.js';
import { WriteAheadLog } from '../../base/log/write-ahead-log.js';
import { openSearcher } from '../open/open-searcher.js';
import type { OpenSearcherOptions, Searcher } from '../searcher.js';
import { checkBase } from './check-base.js';
import { DEFAULT_LIMITS } from './check-writes.js';
import { encodeDocuments } from './encode-documents.js';
import { LeasedSearcher } from './leased-searcher.js';
import type { LiveLimits, LiveSearcher } from './live-searcher.js';
import { LiveStore } from './live-store.js';
import type { LiveEntry } from './log/log-record.js';
import { Replay } from './log/replay.js';
import { modelKey } from './model-key.js';
import { OpenedLiveSearcher } from './opened-live-searcher.js';
import { Layer } from './overlay/layer.js';

export interface OpenLiveOptions {
  /** The folder that keeps the writes; made where there is none. One process at a time may have it. */
  state: string;
  /** How the base is opened, where only its path is given. */
  searcher?: OpenSearcherOptions;
  limits?: LiveLimits;
  /** Told of a write cut off by a crash and of trouble in the background. Default: a warning of the process. */
  onWarning?: (message: string) => void;
  /** Called where documents have to be encoded anew, because another model made their vectors. */
  onProgress?: OpenSearcherOptions['onProgress'];
}

/** How much of a log may be superseded when it is opened; if there is more, it is written anew. */
const MIN_WASTE_BYTES = 64 * 1024;
const WASTE = 0.1;
const ENTRIES_AT_ONCE = 256;
const READ_ONLY_STATE =
  'name a folder you may write to with --state, or serve without changes to documents: --read-only';

/**
 * Makes a searcher's documents changeable. The base (a searcher, or what {@link openSearcher} takes) is never touched;
 * the writes are kept in a folder of their own and laid over it. The result owns the base and closes it.
 *
 * @example
 * const live = await openLiveSearcher('runs/medquad', { state: 'state/medquad' });
 * await live.upsert([{ id: 'new-1', text: 'Iron tablets and anemia' }]);
 * await live.close();
 */
export async function openLiveSearcher(
  base: Searcher | string,
  options: OpenLiveOptions,
): Promise<LiveSearcher> {
  if (typeof base !== 'string') return open(base, options);
  const opened = await openSearcher(base, options.searcher);
  return open(opened, options).catch(async (error) => {
    await opened.close();
    throw error;
  });
}

async function open(searcher: Searcher, options: OpenLiveOptions): Promise<LiveSearcher> {
  const { state, limits, onWarning = (message) => process.emitWarning(message) } = options;
  const base = checkBase(searcher);
  const lock = await holdFileLock(join(state, 'lock'), { onWait: onWarning }).catch((error) => {
    throw unwritable(state, error, READ_ONLY_STATE);
  });
  if ('heldBy' in lock) {
    throw new NearmissError(`${state}: ${describeHolder(lock.heldBy)} writes here already`, {
      hint: `one process at a time may have a state folder: choose another folder, or stop that process first${adviceOn(lock.heldBy, 'lock')}`,
    });
  }
  let log: WriteAheadLog | undefined;
  try {
    const model = await modelKey(base);
    const replay = new Replay(model);
    log = await WriteAheadLog.open(state, {
      onRecord: (record, where) => replay.add(record, where),
      onWarning,
    });
    const layer = new Layer(new LeasedSearcher(base), model);
    const encoded = await fill(layer, replay, options.onProgress);
    const allLimits = { ...DEFAULT_LIMITS, ...limits };
    const store = new LiveStore({ layer, log, lost: lock.lost, limits: allLimits, onWarning });
    const superseded = log.bytes - layer.overlay.counts.bytes;
    if (encoded > 0 || superseded > Math.max(MIN_WASTE_BYTES, WASTE * log.bytes)) {
      // On a full disk say: the log is longer than it need be, and everything is in it.
      await store.compact().catch((error) => onWarning(`live documents: ${error.message}`));
    }
    return new OpenedLiveSearcher(store, lock.release);
  } catch (error) {
    await log?.close();
    await lock.release();
    throw error;
  }
}

/** Puts everything in force into the layer; gives how many documents had to be encoded. */
async function fill(
  layer: Layer,
  replay: Replay,
  onProgress: OpenLiveOptions['onProgress'],
): Promise<number> {
  const entries = [...replay.entries];
  const isBare = ({ document, vectors }: LiveEntry): boolean =>
    layer.model !== undefined && document !== undefined && vectors === undefined;
  const bare = entries.filter(isBare).length;
  const progress =
    bare > 0
      ? onProgress?.({ label: 'encode live documents', unit: 'documents', total: bare, place: 'memory' })
      : undefined;
  for (let start = 0; start < entries.length; start += ENTRIES_AT_ONCE) {
    const part = entries.slice(start, start + ENTRIES_AT_ONCE);
    const missing = await encodeDocuments(layer.base.searcher, part.filter(isBare));
    let next = 0;
    for (const entry of part) layer.overlay.put(isBare(entry) ? missing[next++] : entry);
    progress?.advance(missing.length);
  }
  progress?.finish();
  layer.overlay.advance(replay.sequence);
  return bare;
}
