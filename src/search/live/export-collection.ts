import type { Dataset, Document, Qrels } from '../../data/dataset.js';
import { writeBeir } from '../../data/writers/beir.js';
import type { ExportCollectionOptions, ExportResult } from './live-searcher.js';
import type { LiveSnapshot } from './overlay/live-snapshot.js';

/** Documents read at once. */
const DOCUMENTS_AT_ONCE = 256;

/** Writes the documents of a snapshot as a BEIR folder, all or nothing, in little memory. */
export async function exportCollection(
  snapshot: LiveSnapshot,
  folder: string,
  { overwrite, labels }: ExportCollectionOptions,
): Promise<ExportResult> {
  const documents = (): AsyncIterable<Document> => documentsOf(snapshot);
  const dataset: Dataset =
    labels === undefined
      ? {
          name: snapshot.name,
          documents,
          queries: () => nothing(),
          splits: async () => [],
          qrels: async () => new Map(),
        }
      : {
          name: labels.name,
          documents,
          queries: (split) => labels.queries(split),
          splits: () => labels.splits(),
          qrels: async (split) => among(await labels.qrels(split), snapshot),
        };
  const written = await writeBeir(dataset, folder, { overwrite });
  return { documents: written.documents, sequence: snapshot.writes.sequence };
}

/** Judgments of documents that are there. */
function among(qrels: Qrels, { documents }: LiveSnapshot): Qrels {
  const kept: Qrels = new Map();
  for (const [query, judged] of qrels) {
    const present = [...judged].filter(([id]) => documents.has(id));
    if (present.length > 0) kept.set(query, new Map(present));
  }
  return kept;
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
