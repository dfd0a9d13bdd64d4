import { join, resolve } from 'node:path';
import { besideFolder, cacheFolder } from '../../base/folders/cache-folder.js';
import { isEngineAddress } from '../../index/engines/is-address.js';
import { isRun } from '../../run/run-description.js';
import { RunDirectory } from '../../run/run-directory.js';
import { readSearchedRun } from '../../run/searched-run.js';
import { type BegunSearcher, beginSearcher } from '../../search/open/open-searcher.js';
import { isCollection, resolveTarget } from '../../search/open/target.js';
import { searchModes } from '../../search/retrievers/modes.js';
import type { OpenSearcherOptions, PrepareStep } from '../../search/searcher.js';
import type { EarlyLog } from '../log/early-log.js';
import { TrainingDesk } from '../trainings/training-desk.js';
import { aboutTarget } from './collection-about.js';
import { ModelChoice } from './model-choice.js';
import { Preparations } from './preparations.js';
import { RunCatalog } from './run-catalog.js';
import type { CollectionOptions } from './served-collection.js';

export interface TargetCollectionOptions {
  name: string;
  /** Opened when it is first asked for. */
  lazy: boolean;
  readOnly?: boolean;
  /** Where changes to documents are kept. */
  state?: string;
  /** A folder of runs to show besides. */
  runs?: string;
  search?: Omit<OpenSearcherOptions, 'inWorkers'>;
  log: EarlyLog;
}

/** How a run, an index or a collection is served. */
export async function targetCollection(
  target: string,
  options: TargetCollectionOptions,
): Promise<CollectionOptions & { name: string; begin: () => Promise<BegunSearcher> }> {
  const { name, lazy, search, log } = options;
  // What an engine has is changed by pushing another version.
  const isEngine = isEngineAddress(target);
  const readOnly = options.readOnly || isEngine;
  const warn = (message: string): void => log.warn(message);
  const beside = isEngine ? cacheFolder() : await besideFolder(resolve(target));
  const state = options.state ?? join(beside, 'live');
  const preparations = new Preparations();
  const { signal } = preparations;
  const watch = search?.onProgress ?? ((step: PrepareStep) => log.progress(step));
  const onProgress = (step: PrepareStep) => preparations.watch(step, watch(step));
  const run = (await isRun(target)) ? target : undefined;
  const model = readOnly || run !== undefined ? undefined : await choiceOf(target, search);
  const begin = (first: Pick<OpenSearcherOptions, 'mayEncode'> = {}) =>
    beginSearcher(target, {
      ...{ onNote: warn, ...search, ...first, onProgress, signal, inWorkers: true },
      ...(model?.coming !== undefined && { model: model.wanted ?? search?.collectionModel }),
    });
  let isIncomplete = false;
  const later = (): boolean => {
    isIncomplete = true;
    return false;
  };
  const beginFirst = () => begin(search?.modes === undefined ? { mayEncode: later } : {});
  const data = search?.data ?? (run === undefined ? target : undefined);
  const runs = options.runs ?? join(beside, 'runs');
  const learnFrom = data ?? (await dataOf(target));
  return {
    name,
    lazy,
    begin: beginFirst,
    openFirst: async () => (await beginFirst()).opening,
    open: async () => (await begin()).opening,
    preparations,
    isIncomplete: () => isIncomplete,
    onFailure: (error) => warn(`${target}: ${(error as Error).message}`),
    runs: new RunCatalog({ run, folder: runs, collection: resolve(data ?? target), data: search?.data }),
    about: aboutTarget(target, { data: search?.data, run: () => run ?? model?.run }),
    model,
    trainings: readOnly || learnFrom === undefined ? undefined : new TrainingDesk({ data: learnFrom, runs }),
    openLive: readOnly
      ? undefined
      : async (base) => {
          const { openLiveSearcher } = await import('../../search/live/index.js');
          return openLiveSearcher(base, { state, onProgress, onWarning: warn });
        },
    // Whoever has the live documents has the log of judgments that goes with them, too.
    openJudgments: readOnly
      ? undefined
      : async () => {
          const { JudgmentStore } = await import('../judgments/judgment-store.js');
          const { judgmentsPlace } = await import('../judgments/judgments-place.js');
          return JudgmentStore.open(await judgmentsPlace(state, learnFrom), { onWarning: warn });
        },
  };
}

/** Which model a collection is searched with, where nobody who started the server has said it. */
async function choiceOf(
  target: string,
  search: TargetCollectionOptions['search'] = {},
): Promise<ModelChoice | undefined> {
  const { model, collectionModel, modes } = search;
  const isAsked = modes === undefined || modes.some((mode) => searchModes.get(mode).needs.ofRuns);
  if (model !== undefined || collectionModel === undefined || !isAsked) return undefined;
  const found = await resolveTarget(target, { ...search, onNote: undefined });
  return isCollection(found) ? ModelChoice.open(found.cache) : undefined;
}

/** A run's collection, where it is there. */
async function dataOf(run: string): Promise<string | undefined> {
  const searched = await readSearchedRun(new RunDirectory(run)).catch(() => undefined);
  return searched?.data;
}
