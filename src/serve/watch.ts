import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isEngineAddress } from '../index/engines/is-address.js';
import { isRun } from '../run/run-description.js';
import { resolveTarget } from '../search/open/target.js';
import { tunedFusionFile } from '../search/open/tuned-fusion.js';
import type { OpenSearcherOptions } from '../search/searcher.js';

const LONGEST_PAUSE_MS = 60_000;

/** What a target is opened with. */
export type WatchedOptions = Pick<OpenSearcherOptions, 'data' | 'model' | 'reranker' | 'cache'>;

export interface WatchOptions {
  /** What {@link targetState} said before it was opened, so that no change since is missed. */
  seen: string;
  everyMs: number;
  search?: WatchedOptions;
  /** Called when what is served has changed; where it fails, it is called again later. */
  onChange: () => Promise<unknown>;
  signal: AbortSignal;
}

/** Looks now and then whether {@link targetState} has changed. */
export async function watchTarget(path: string, options: WatchOptions): Promise<void> {
  const { everyMs, search, onChange, signal } = options;
  let { seen } = options;
  let pause = everyMs;
  while (await waited(pause, signal)) {
    const state = await targetState(path, search);
    if (state === seen) continue;
    try {
      await onChange();
      [seen, pause] = [state, everyMs];
    } catch {
      // Whoever was called has said what is wrong: a target that is broken is not to fill the log.
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    }
  }
}

async function waited(ms: number, signal: AbortSignal): Promise<boolean> {
  return sleep(ms, true, { signal, ref: false }).catch(() => false);
}

/** Differs when there is something newer to open: in the target, in the cross-encoder, or in how hybrid fuses. */
export async function targetState(path: string, search: WatchedOptions = {}): Promise<string> {
  const parts = [
    filesState(path),
    search.reranker === undefined ? '' : filesState(search.reranker),
    weightsState(path, search),
  ];
  return (await Promise.all(parts)).join('\n');
}

/** Weights that were tuned are kept in the cache, wherever that is. */
async function weightsState(path: string, search: WatchedOptions): Promise<string> {
  const target = await resolveTarget(path, search).catch(() => undefined);
  return target === undefined ? '' : traceOf(tunedFusionFile(target.cache));
}

/** Of a run only what says which of its models is best. */
async function filesState(path: string): Promise<string> {
  if (isEngineAddress(path)) {
    const { engineState } = await import('../search/remote/open-engine.js');
    // One that does not answer has nothing newer.
    return engineState(path).catch(() => 'unreachable');
  }
  const info = await stat(path).catch(() => undefined);
  if (info === undefined) return 'missing';
  if (!info.isDirectory()) return traceOf(path);
  if (await isRun(path)) return traceOf(join(path, 'best.json'));
  const names = (await readdir(path).catch(() => [])).filter((name) => !name.startsWith('.')).sort();
  return (await Promise.all(names.map((name) => traceOf(join(path, name))))).join('\n');
}

async function traceOf(path: string): Promise<string> {
  const info = await stat(path).catch(() => undefined);
  return `${path} ${info?.ino} ${info?.size} ${info?.mtimeMs}`;
}
