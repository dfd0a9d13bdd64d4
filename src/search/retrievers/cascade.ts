import { defaultMode } from '../open/default-mode.js';
import type { Mode } from './mode.js';
import type { OpenMode } from './open-mode.js';

/** Lets another mode find candidates and a cross-encoder read each of them, or a late-interaction model compare their tokens. */
export const cascade: Mode = {
  name: 'cascade',
  needs: { what: 'a cross-encoder and a collection', flags: ['--reranker', '--data'] },
  reranks: true,

  async open({ opened, preparation, computing, options }): Promise<OpenMode | undefined> {
    const reranker = await computing.reranker();
    const usual = options.rerankFirst ?? defaultMode(opened);
    if (!reranker || !preparation || usual === undefined || !opened.has(usual)) return undefined;
    const { CascadeRetriever, DEFAULT_RERANK_DEPTH } = await import('./cascade-retriever.js');
    const { rerankDepth = DEFAULT_RERANK_DEPTH } = options;
    const retriever: OpenMode['retriever'] = (corpus, { first = usual, depth = rerankDepth } = {}) =>
      new CascadeRetriever({
        first: corpus.retriever(first),
        reranker,
        documents: corpus.documents,
        depth,
      });
    const fingerprint = [usual, reranker.fingerprint, rerankDepth];
    return { fingerprint, retriever, live: () => ({ retriever }) };
  },
};
