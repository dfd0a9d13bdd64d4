import type { Closing } from '../../base/closing.js';
import { leavingOutFiles } from '../../data/leaving-out-files.js';
import { describeLeftOut } from '../../data/left-out.js';
import { openDataset } from '../../data/open.js';
import type { SourcesDataset } from '../../data/sources-dataset.js';
import { StoredDocuments } from '../documents/stored-documents.js';
import { FilteredDocuments } from '../filter/filtered-documents.js';
import type { EngineDocuments } from '../remote/engine-documents.js';
import type { OpenEngine } from '../remote/open-engine.js';
import type { Mode } from '../retrievers/mode.js';
import { searchModes } from '../retrievers/modes.js';
import type { OpenMode } from '../retrievers/open-mode.js';
import type { SearchMode } from '../retrievers/retriever.js';
import type { OpenSearcherOptions } from '../searcher.js';
import { OpenedSearcher } from './opened-searcher.js';
import type { Opening } from './opening.js';
import type { Preparation } from './prepare.js';
import type { Target } from './target.js';
import { requiredModes } from './wanted-modes.js';

/** Opens the modes that are wanted, as far as they are possible, and makes a searcher of them. */
export async function assembleSearcher({
  modes,
  reading,
  ...begun
}: Pick<Opening, 'target' | 'options' | 'computing' | 'closing'> & {
  modes: readonly Mode[];
  reading: ReturnType<typeof openCollection>;
}): Promise<OpenedSearcher> {
  const { target, options, computing, closing } = begun;
  const dataset = await reading;
  const preparation = dataset && (await prepareStore(dataset, target, options, closing));
  const filters = new FilteredDocuments(preparation?.store);
  const opened = await openModes(modes, { ...begun, preparation, filters });
  const engine = await computing.engine();
  const searcher = new OpenedSearcher({
    name: target.name,
    store: preparation?.store ?? (engine && (await engineDocuments(engine))),
    opened,
    reranker: await computing.reranker(),
    closing,
  });
  for (const mode of requiredModes(options)) searcher.retriever(mode);
  return searcher;
}

/** Without the collection, an engine's own documents are shown. */
async function engineDocuments({ connection, version, description }: OpenEngine): Promise<EngineDocuments> {
  const { EngineDocuments } = await import('../remote/engine-documents.js');
  return new EngineDocuments(connection, version, description);
}

/** Modes that search by themselves are opened at the same time, those made of others after that. */
async function openModes(
  modes: readonly Mode[],
  opening: Omit<Opening, 'opened'>,
): Promise<ReadonlyMap<SearchMode, OpenMode>> {
  const opened = new Map<SearchMode, OpenMode>();
  const open = async (mode: Mode): Promise<void> => {
    const possible = await mode.open({ ...opening, opened });
    if (possible) opened.set(mode.name, possible);
  };
  const isMade = ({ components, reranks }: Mode): boolean => components !== undefined || reranks === true;
  await opening.closing.all(modes.filter((mode) => !isMade(mode)).map(open));
  for (const mode of modes.filter(isMade)) await open(mode);
  const inOrder = searchModes.names.filter((name) => opened.has(name));
  return new Map(inOrder.map((name) => [name, opened.get(name)!]));
}

/** Finds out what a target's collection consists of; undefined where it has none. */
export async function openCollection(
  { data }: Target,
  { onNote }: OpenSearcherOptions,
): Promise<SourcesDataset | undefined> {
  if (data === undefined) return undefined;
  return openDataset(data, { onProblem: await leavingOutFiles(data, onNote) });
}

async function prepareStore(
  dataset: SourcesDataset,
  { cache }: Target,
  { onProgress, onNote, mayEncode, signal }: OpenSearcherOptions,
  closing: Closing,
): Promise<Preparation> {
  const folder = `${cache}/documents`;
  const store = await closing.add(
    StoredDocuments.open(folder, dataset, {
      onBuild: () => {
        const leftOut = describeLeftOut(dataset.sources.leftOut);
        if (leftOut !== undefined) onNote?.(leftOut);
        return onProgress?.({ label: 'store documents', unit: 'documents', place: folder }) ?? NOBODY_WATCHES;
      },
    }),
  );
  return { dataset, store, cache, onProgress, onNote, mayEncode, signal };
}

const NOBODY_WATCHES = { advance: (): void => {}, finish: (): void => {} };
