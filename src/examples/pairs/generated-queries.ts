import { type PairMaker, pairMaker } from './pair-maker.js';

/** What queries that a model wrote are called among those of makers. */
export const GENERATED_MAKER = 'generated';

/**
 * A maker of queries that a model has written already, by the numbers of their documents. It is in no registry: who wants it
 * has let somebody write.
 */
export function generatedMaker(queriesOf: (document: number) => readonly string[]): PairMaker {
  return pairMaker({
    name: GENERATED_MAKER,
    description: 'queries that a model wrote for a document',
    origin: 'QGen, Ma et al. 2021',
    options: {},
    *make({ passages }) {
      for (const { number, text } of passages) {
        if (text.trim() === '') continue;
        for (const query of queriesOf(number)) {
          if (query.trim() !== '') yield { query, document: number };
        }
      }
    },
  });
}
