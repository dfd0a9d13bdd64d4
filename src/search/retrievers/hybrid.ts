import { indexVersion } from '../open/version.js';
import type { Mode } from './mode.js';
import type { OpenMode } from './open-mode.js';

/** In the order of their weights. */
const COMPONENTS = ['dense', 'bm25'];

/** Finds documents by vectors and by words, and fuses what they found. */
export const hybrid: Mode = {
  name: 'hybrid',
  needs: { what: 'a collection and a model', flags: ['--data', '--model'], ofRuns: true },
  components: COMPONENTS,

  async open({ opened, target, preparation, options }): Promise<OpenMode | undefined> {
    if (!COMPONENTS.every((name) => opened.has(name))) return undefined;
    const [{ HybridRetriever }, { readTunedFusion }] = await Promise.all([
      import('./hybrid-retriever.js'),
      import('../open/tuned-fusion.js'),
    ]);
    const version = indexVersion(preparation?.store, opened);
    const tuned = options.fusion
      ? { fusion: options.fusion, recommended: true }
      : await readTunedFusion(target.cache, { version, onNote: options.onNote });
    const fusion = tuned?.fusion;
    const retriever: OpenMode['retriever'] = (corpus) =>
      new HybridRetriever(
        COMPONENTS.map((name) => corpus.retriever(name)),
        fusion,
      );
    // A model that learned from labels is usually so far ahead of BM25 that fusing their ranks costs more than it brings
    // (docs/design.md). Of one that nobody's labels have judged that is not known, and with those as published fusing brings
    // much (docs/search.md).
    const preference = (tuned?.recommended ?? target.trained !== 'labels') ? 3 : 1;
    return { preference, fingerprint: fusion, retriever, live: () => ({ retriever }) };
  },
};
