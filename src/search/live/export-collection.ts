import type { Dataset, Document } from '../../data/dataset.js';
import { writeBeir } from '../../data/writers/beir.js';
import type { ExportResult } from './live-searcher.js';
import type { LiveSnapshot } from './overlay/live-snapshot.js';

/** Documents read at once. */
const DOCUMENTS_AT_ONCE = 256;

/** Writes the documents of a snapshot as a BEIR folder, all or nothing, in little memory. */
export async function exportCollection(
  snapshot: LiveSnapshot,
  folder: string,
  options: { overwrite?: boolean },
): Promise<ExportResult> {
  const dataset: Dataset = {
    name: snapshot.name,
    documents: () => documentsOf(snapshot),
    queries: () => nothing(),
    splits: async () => [],
    qrels: async () => new Map(),
  };
  const { documents } = await writeBeir(dataset, folder, options);
  return { documents, sequence: snapshot.writes.sequence };
}

async function* documentsOf({ documents }: LiveSnapshot): AsyncGenerator<Document> {
  let ids: string[] = [];
  for (const id of documents.ids()) {
    ids.push(id);
    if (ids.length < DOCUMENTS_AT_ONCE) continue;
    yield* present(await documents.getAll(ids));
    ids = [];
  }
  yield* present(await documents.getAll(ids));
}

function present(documents: readonly (Document | undefined)[]): Document[] {
  return documents.filter((document) => document !== undefined);
}

async function* nothing(): AsyncGenerator<never> {}
