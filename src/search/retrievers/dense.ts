import { NearmissError } from '../../base/errors.js';
import type { DocumentIndex } from '../../index/vectors/document-index.js';
import type { Embedder } from '../embedder.js';
import type { Opening } from '../open/opening.js';
import type { OpenEngine } from '../remote/open-engine.js';
import type { Mode, ModeStart } from './mode.js';
import type { OpenMode, OpenVectors } from './open-mode.js';

/** How rows are compared where no scorer is named. */
const BEST_PRODUCT = 'their best inner product';

/** Finds documents whose vectors are near the query's. */
export const dense: Mode = {
  name: 'dense',
  needs: { what: 'a model', flags: ['--model'], ofRuns: true },

  start({ path, target, computing }: ModeStart): void {
    if (target.model === undefined) refuseWithoutModel(path, target);
    void computing.embedder();
    void computing.encodedDocuments();
    // Whoever opens the mode is told what is wrong with it.
    computing.engine().catch(() => undefined);
  },

  async open(opening): Promise<OpenMode | undefined> {
    const { target, preparation, filters, computing, closing } = opening;
    const embedder = await computing.embedder();
    if (embedder === undefined) return undefined;
    const engine = await computing.engine();
    if (engine !== undefined) return openEngineMode(engine, embedder, opening);
    const documents = await encodedDocuments(opening, embedder);
    if (documents === undefined) return undefined;
    const [{ DenseIndex }, { DenseRetriever }, { LiveVectors }, { presentDocuments }] = await Promise.all([
      import('../dense-index.js'),
      import('./dense-retriever.js'),
      import('../live/overlay/live-vectors.js'),
      import('../open/collection-changes.js'),
    ]);
    const present = presentDocuments(documents, target, preparation);
    const index = await closing.add(new DenseIndex(documents, filters, present));
    const { dimension, fingerprint, maxLength, scorer } = embedder.info;
    if (dimension !== index.dimension) {
      throw new NearmissError(
        `${target.model} makes vectors of ${dimension} numbers, ${target.vectors} holds ${index.dimension}`,
        { hint: 'name the model that encoded the index' },
      );
    }
    if (scorer !== index.scorer) {
      throw new NearmissError(
        `${target.model} compares rows by ${scorer ?? BEST_PRODUCT}, ${target.vectors} was made for ${index.scorer ?? BEST_PRODUCT}`,
        {
          hint: 'name the model that encoded the index, or index again: tokens with --type tokens, vectors of a Poly-encoder with --scorer poly',
        },
      );
    }
    const split = target.split ?? { maxPieces: 1, pieceLength: maxLength };
    // Which piece of a document was best is not known: only whole ones are explained by the model.
    const whole = split.maxPieces === 1;
    const vectors: OpenVectors = { embedder, index, split };
    return {
      preference: 2,
      fingerprint: [fingerprint, documents.vectors.metadata.fingerprint],
      vectors,
      retriever: ({ documents: texts }) => new DenseRetriever(embedder, index, whole ? texts : undefined),
      live: () => ({
        vectors: (writes) => new LiveVectors(index, writes),
        retriever: ({ writes, documents: texts }) =>
          new DenseRetriever(embedder, new LiveVectors(index, writes), whole ? texts : undefined),
      }),
    };
  },
};

/** An engine has the vectors. */
async function openEngineMode(
  { connection, version, description, exact }: OpenEngine,
  embedder: Embedder,
  { target, options }: Opening,
): Promise<OpenMode> {
  const [{ EngineFinder }, { DenseRetriever }, { LiveVectors }] = await Promise.all([
    import('../remote/engine-finder.js'),
    import('./dense-retriever.js'),
    import('../live/overlay/live-vectors.js'),
  ]);
  const { fingerprint, dimension, maxLength } = embedder.info;
  const { weights = fingerprint } = description;
  const index = new EngineFinder({ connection, version, description, exact, onNote: options.onNote });
  if (index.dimension !== dimension || weights !== fingerprint) {
    throw new NearmissError(
      `${version} was encoded by ${description.model ?? 'another model'}, not by ${target.model}`,
      { hint: 'name the model whose vectors were pushed with --model, or push again' },
    );
  }
  return {
    preference: 2,
    fingerprint: [fingerprint, version, exact],
    vectors: { embedder, index, split: { maxPieces: 1, pieceLength: maxLength } },
    retriever: () => new DenseRetriever(embedder, index),
    live: () => ({
      vectors: (writes) => new LiveVectors(index, writes),
      retriever: ({ writes }) => new DenseRetriever(embedder, new LiveVectors(index, writes)),
    }),
  };
}

/** The index that was there, which has been opening while the model was, or one that is made of the collection. */
async function encodedDocuments(
  { computing, preparation, closing }: Opening,
  embedder: Embedder,
): Promise<DocumentIndex | undefined> {
  const encoded = await computing.encodedDocuments();
  if (encoded !== undefined || preparation === undefined) return encoded;
  const [{ prepareVectors }, { removeAndRepeat }] = await Promise.all([
    import('../open/prepare-vectors.js'),
    import('../../index/vectors/index-folder.js'),
  ]);
  const open = (folder: string): Promise<DocumentIndex> =>
    computing.openDocuments(folder, removeAndRepeat(folder));
  return closing.add(prepareVectors(preparation, embedder, open));
}

function refuseWithoutModel(path: string, { vectors, engine, data, bm25 }: ModeStart['target']): void {
  if (engine !== undefined) {
    throw new NearmissError(`${path}: an engine by itself cannot encode queries`, {
      hint: 'name the model whose vectors were pushed with --model, e.g. --model RUN/best',
    });
  }
  if (vectors !== undefined) {
    throw new NearmissError(`${path}: an index by itself cannot encode queries`, {
      hint: 'name the model that encoded it with --model',
    });
  }
  if (data === undefined && bm25 === undefined) {
    throw new NearmissError(`${path}: this run has no measured model yet`, {
      hint: 'wait for its first evaluation',
    });
  }
}
