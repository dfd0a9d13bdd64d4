import { CREATED_BY } from '../../base/version.js';
import { documentImpacts, TERM_ROW } from '../../model/scorer/impact.js';
import { buildWeightedIndex, type WeightedDocument } from '../bm25/build.js';
import { rowsByDocument } from '../terms/rows-by-document.js';
import type { TokenSource } from '../tokens/write-token-index.js';
import { documentFiles } from '../vectors/document-files.js';
import { writeIndexFolder } from '../vectors/index-folder.js';
import type { SaveOptions, VectorIndexMetadata } from '../vectors/vector-index.js';
import { VectorIntake } from '../vectors/vector-intake.js';
import { IMPACT_SCALE } from './impact-scale.js';

/** The folder inside an impact index that has its postings, in the format of a BM25 index. */
export const POSTINGS_FOLDER = 'postings';

export interface WriteImpactIndexOptions extends SaveOptions {
  model?: string;
  /** Told of so many documents, of how many. */
  onProgress?: (done: number, total: number) => void;
  signal?: AbortSignal;
}

/** Writes an inverted index of documents whose rows are terms and weights; the greatest weight of a term counts. */
export async function writeImpactIndex(
  folder: string,
  source: TokenSource,
  { model, onProgress, signal, ...options }: WriteImpactIndexOptions,
): Promise<VectorIndexMetadata> {
  const intake = new VectorIntake({ dimension: TERM_ROW });
  const documents = source.offsets.length - 1;
  async function* weighted(): AsyncGenerator<WeightedDocument> {
    let document = 0;
    for await (const rows of rowsByDocument(source, (block) => intake.accept(block))) {
      signal?.throwIfAborted();
      const impacts = documentImpacts(rows);
      yield {
        id: String(document++),
        weights: new Map(Array.from(impacts, ([term, weight]) => [String(term), weight])),
      };
      onProgress?.(document, documents);
    }
  }
  return writeIndexFolder(folder, options, async (writer) => {
    const meta = await buildWeightedIndex(writer.pathOf(POSTINGS_FOLDER), weighted(), {
      scale: IMPACT_SCALE,
    });
    await documentFiles({ ids: source.ids })(writer);
    return {
      type: 'impacts',
      dimension: TERM_ROW,
      count: documents,
      storage: 'f32',
      scorer: 'impact',
      ...(model !== undefined && { model }),
      fingerprint: intake.finish().fingerprint,
      createdBy: CREATED_BY,
      parameters: { scale: IMPACT_SCALE, terms: meta.terms, postings: meta.postings },
    };
  });
}
