import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Random } from '../../engine/random.js';
import { type EncodedTexts, oneRowEach, stackRows } from '../../model/encoder/encoded-texts.js';
import { bestHits } from './best-hits.js';
import { connectEngine } from './connect.js';
import type {
  EngineBatch,
  EngineConnection,
  EngineDocument,
  EngineHit,
  SparseRows,
  VersionDescription,
  VersionShape,
} from './engine.js';
import { holds } from './filter-tree.fixture.js';
import type { DocumentFields, FilterTree } from './filter-tree.js';
import { loadVersion } from './load-version.js';

export interface EngineUnderTest {
  /** Starts what is needed and says its address, without a name. */
  start(): Promise<string>;
  stop(): Promise<void>;
  /** What the engine cannot do, which it must then refuse. */
  without?: readonly ('max-sim' | 'sparse' | 'int8' | 'binary')[];
}

const DIMENSION = 12;
const [K, COUNT] = [10, 300];

/** What every engine must do; one call for each. */
export function engineConformance(name: string, { start, stop, without = [] }: EngineUnderTest): void {
  let connection: EngineConnection;
  let address: string;
  const random = Random.from(7, name);
  const draw = (rows: number): Float32Array =>
    Float32Array.from({ length: rows * DIMENSION }, () => random.normal());
  const idOf = (number: number): string => `d${number}`;

  const load = (
    of: string,
    shape: Partial<VersionShape>,
    batch: Omit<EngineBatch, 'first' | 'documents'> & { documents?: readonly EngineDocument[] },
  ): Promise<string> => {
    const count = (batch.rows ?? batch.sparse)!.offsets.length - 1;
    const documents = batch.documents ?? Array.from({ length: count }, (_, i) => ({ id: idOf(i) }));
    const description: Omit<VersionDescription, 'complete'> = {
      shape: {
        dimension: batch.rows && DIMENSION,
        compare: 'one',
        sparse: batch.sparse !== undefined,
        ...shape,
      },
      count,
      findable: count,
      fingerprint: fingerprint(`${of} ${JSON.stringify(shape)}`),
      documents: batch.documents !== undefined,
      createdBy: 'conformance',
    };
    return loadVersion(connection, {
      name: of,
      description,
      async *batches() {
        yield { ...batch, first: 0, documents };
      },
    });
  };
  const found = async (
    version: string,
    search: Omit<Parameters<EngineConnection['search']>[1], 'k'>,
    k = K,
  ): Promise<EngineHit[][]> => (await bestHits(connection, version, { ...search, k })).hits;

  describe(`engine ${name}`, () => {
    beforeAll(async () => {
      address = await start();
      connection = await connectEngine(address);
    });
    afterAll(async () => {
      await connection?.close();
      await stop();
    });

    test('one row each: what brute force finds, equal ones in order', async () => {
      const vectors = draw(COUNT);
      // Equal vectors, more than are asked for.
      for (let i = 100; i < 130; i++) vectors.set(vectors.subarray(0, DIMENSION), i * DIMENSION);
      const rows = { vectors, offsets: oneRowEach(COUNT) };
      const queries = { vectors: draw(20), offsets: oneRowEach(20) };
      queries.vectors.set(vectors.subarray(0, DIMENSION));
      const version = await load('one', {}, { rows });
      const got = await found(version, { rows: queries, exact: true, ids: true });
      expectSame(got, bruteForce(queries, rows, K));
      expect(got[0].map(({ id }) => id)).toEqual(
        [0, ...Array.from({ length: 9 }, (_, i) => 100 + i)].map(idOf),
      );
      // Without exactness, most of it.
      const near = await found(version, { rows: queries, efSearch: 64 });
      const expected = bruteForce(queries, rows, K);
      const shared = near.flatMap((hits, q) =>
        hits.filter(({ score }) => score >= expected[q][K - 1].score - 1e-4),
      );
      expect(shared.length).toBeGreaterThan(0.9 * 20 * K);
      expect(await connection.state(version)).toMatchObject({ count: COUNT, ready: true });
      expect(await found(version, { rows: queries, exact: true }, 1000)).toSatisfy((all: EngineHit[][]) =>
        all.every((hits) => hits.length === COUNT),
      );
    });

    test('several rows: a document scores as its best', async () => {
      // Two rows of whole numbers, which look like a sparse vector.
      const texts: Float32Array[] = [Float32Array.from({ length: 2 * DIMENSION }, (_, i) => i % 3)];
      for (let i = 1; i < COUNT; i++) texts.push(draw(1 + (i % 4)));
      const rows = stackRows(texts, DIMENSION);
      const queries = { vectors: draw(10), offsets: oneRowEach(10) };
      const version = await load('best', { compare: 'best' }, { rows });
      expectSame(await found(version, { rows: queries, exact: true }), bruteForce(queries, rows, K));
    });

    test('late interaction: the best of each row, summed', async () => {
      const texts = Array.from({ length: COUNT }, (_, i) => draw(1 + (i % 6)));
      const rows = stackRows(texts, DIMENSION);
      const queries = stackRows(
        [draw(3), draw(1), draw(5), new Float32Array(2 * DIMENSION).fill(1)],
        DIMENSION,
      );
      if (without.includes('max-sim')) {
        await expect(load('late', { compare: 'max-sim' }, { rows })).rejects.toThrow('max-sim');
        return;
      }
      const version = await load('late', { compare: 'max-sim' }, { rows });
      expectSame(await found(version, { rows: queries, exact: true }), bruteForce(queries, rows, K));
      // Candidates are more than there are documents, so this is whole, too.
      expectSame(await found(version, { rows: queries }), bruteForce(queries, rows, K));
    });

    test('sparse vectors: the inner product of shared terms', async () => {
      const sparse = drawSparse(random, COUNT);
      const queries = drawSparse(random, 8);
      if (without.includes('sparse')) {
        await expect(load('sparse', {}, { sparse })).rejects.toThrow('sparse');
        return;
      }
      const version = await load('sparse', {}, { sparse });
      const got = await found(version, { sparse: queries, exact: true });
      for (let q = 0; q < 8; q++) {
        const query = termsOf(queries, q);
        const scores = Array.from({ length: COUNT }, (_, number) => {
          const own = termsOf(sparse, number);
          return { number, score: [...query].reduce((sum, [term, w]) => sum + w * (own.get(term) ?? 0), 0) };
        }).filter(({ score }) => score > 0);
        scores.sort((a, b) => b.score - a.score || a.number - b.number);
        expectSame([got[q]], [scores.slice(0, K)]);
      }
    });

    test.each(['int8', 'binary'] as const)(
      '%s: found with fewer bits, scored with all',
      async (quantization) => {
        const rows = { vectors: draw(COUNT), offsets: oneRowEach(COUNT) };
        const queries = { vectors: draw(10), offsets: oneRowEach(10) };
        if (without.includes(quantization)) {
          await expect(load('bits', { quantization }, { rows })).rejects.toThrow('quantization');
          return;
        }
        const version = await load('bits', { quantization }, { rows });
        expectSame(await found(version, { rows: queries, exact: true }), bruteForce(queries, rows, K));
        const all = bruteForce(queries, rows, COUNT);
        (await found(version, { rows: queries })).forEach((hits, q) => {
          const scores = new Map(all[q].map(({ number, score }) => [number, score]));
          for (const { number, score } of hits) expect(score).toBeCloseTo(scores.get(number)!, 4);
        });
      },
    );

    test('filters mean what they mean here', async () => {
      const fields = Array.from({ length: 60 }, (_, i) => drawFields(random, i));
      const documents = fields.map((own, i) => ({ id: idOf(i), fields: own, metadata: { nth: i } }));
      const rows = { vectors: draw(60), offsets: oneRowEach(60) };
      const queries = { vectors: draw(1), offsets: oneRowEach(1) };
      const version = await load('filters', {}, { rows, documents });
      const trees = fc.sample(treeArbitrary, { numRuns: 120, seed: 5 });
      for (const filter of trees) {
        const [hits] = await found(version, { rows: queries, exact: true, filter }, 60);
        const expected = fields.flatMap((own, i) => (holds(filter, own) ? [i] : []));
        expect({ filter, numbers: hits.map(({ number }) => number).sort((a, b) => a - b) }).toEqual({
          filter,
          numbers: expected,
        });
      }
    });

    test('documents come back as they were sent', async () => {
      const documents = [
        { id: 'with "quotes"', title: 'T', text: 'a\nb', metadata: { deep: { er: [1, null, 'x'] } } },
        { id: 'ünï', text: '' },
      ];
      const rows = { vectors: draw(2), offsets: oneRowEach(2) };
      const version = await load('documents', {}, { rows, documents });
      expect(await connection.find(version, ['ünï', 'none', 'with "quotes"'])).toEqual([
        documents[1],
        undefined,
        documents[0],
      ]);
      const [second, none] = await connection.read(version, [1, 7]);
      expect(second).toMatchObject(documents[1]);
      expect(Array.from(second!.rows, Math.fround)).toEqual([...rows.vectors.subarray(DIMENSION)]);
      expect(none).toBeUndefined();
      const scanned: EngineDocument[] = [];
      for await (const document of connection.scan(version)) scanned.push(document);
      expect(scanned.map(({ id, metadata }) => ({ id, metadata }))).toEqual(
        documents.map(({ id, metadata }) => ({ id, metadata })),
      );
    });

    test('a name points to one version or the next, never to none', async () => {
      const version = async (value: number): Promise<string> => {
        const rows = { vectors: new Float32Array(2 * DIMENSION).fill(value), offsets: oneRowEach(2) };
        return load('turns', { shards: undefined, efConstruction: value } as object, { rows });
      };
      const [first, second] = [await version(1), await version(2)];
      expect(first).not.toBe(second);
      expect(await connection.current('turns')).toBeUndefined();
      await connection.point('turns', first);
      const seen = new Set<string | undefined>();
      let turning = true;
      const watching = (async () => {
        while (turning) seen.add(await connection.current('turns'));
      })();
      for (let i = 0; i < 10; i++) await connection.point('turns', i % 2 === 0 ? second : first);
      turning = false;
      await watching;
      expect([...seen].sort()).toEqual([first, second].sort());
      expect(await connection.versions('turns')).toEqual([first, second].sort());
      await connection.point('turns', second);
      await connection.remove(first);
      await connection.remove(first);
      expect(await connection.versions('turns')).toEqual([second]);
      expect(await connection.describe(first)).toBeUndefined();
    });

    test('a name has its own versions only, not those of one that begins like it', async () => {
      const rows = { vectors: draw(2), offsets: oneRowEach(2) };
      const [short, long] = [await load('docs', {}, { rows }), await load('docs-eu', {}, { rows })];
      expect(await connection.versions('docs')).toEqual([short]);
      expect(await connection.versions('docs-eu')).toEqual([long]);
    });

    test('adding again changes nothing; what is half there is done again', async () => {
      const rows = { vectors: draw(50), offsets: oneRowEach(50) };
      const documents = Array.from({ length: 50 }, (_, i) => ({ id: idOf(i) }));
      const version = await load('again', {}, { rows });
      await connection.add(version, { first: 0, documents, rows });
      expect(await connection.state(version)).toMatchObject({ count: 50 });
      expect(await load('again', {}, { rows })).toBe(version);
      const description = (await connection.describe(version))!;
      expect(description).toMatchObject({ count: 50, complete: true });
      await connection.redescribe(version, { ...description, complete: false });
      expect(await load('again', {}, { rows })).toBe(version);
      expect((await connection.describe(version))?.complete).toBe(true);
    });
  });
}

function fingerprint(text: string): string {
  return Buffer.from(text)
    .toString('hex')
    .padEnd(64, '0')
    .split('')
    .reverse()
    .join('')
    .slice(-64)
    .replace(/^0*/, '')
    .padEnd(64, 'f');
}

/** The best documents by the scorer that a number of query rows asks for. */
function bruteForce(
  queries: EncodedTexts,
  rows: EncodedTexts,
  k: number,
): { number: number; score: number }[][] {
  const slice = ({ vectors, offsets }: EncodedTexts, text: number): Float32Array[] =>
    Array.from({ length: offsets[text + 1] - offsets[text] }, (_, i) => {
      const start = (offsets[text] + i) * DIMENSION;
      return vectors.subarray(start, start + DIMENSION);
    });
  return Array.from({ length: queries.offsets.length - 1 }, (_, q) => {
    const scored = Array.from({ length: rows.offsets.length - 1 }, (_, number) => {
      const own = slice(rows, number);
      const score = slice(queries, q).reduce(
        (sum, query) => sum + Math.max(...own.map((row) => row.reduce((dot, x, i) => dot + x * query[i], 0))),
        0,
      );
      return { number, score };
    });
    return scored.sort((a, b) => b.score - a.score || a.number - b.number).slice(0, k);
  });
}

/** The same documents with the same scores; those whose scores differ by less than rounding may change places. */
function expectSame(
  got: readonly EngineHit[][],
  expected: readonly { number: number; score: number }[][],
): void {
  expect(got.length).toBe(expected.length);
  got.forEach((hits, q) => {
    expect(hits.length).toBe(expected[q].length);
    for (const [i, { score }] of hits.entries()) expect(score).toBeCloseTo(expected[q][i].score, 3);
    const last = expected[q].at(-1)?.score ?? 0;
    const sure = expected[q].filter(({ score }) => score > last + 1e-3).map(({ number }) => number);
    expect(hits.map(({ number }) => number)).toEqual(expect.arrayContaining(sure));
  });
}

function drawSparse(random: Random, count: number): SparseRows {
  const [terms, weights, offsets]: number[][] = [[], [], [0]];
  for (let i = 0; i < count; i++) {
    const own = new Set(Array.from({ length: 1 + random.integer(6) }, () => random.integer(40)));
    for (const term of own) {
      terms.push(term);
      weights.push(0.1 + random.uniform());
    }
    offsets.push(terms.length);
  }
  return {
    terms: Uint32Array.from(terms),
    weights: Float32Array.from(weights),
    offsets: Uint32Array.from(offsets),
  };
}

function termsOf({ terms, weights, offsets }: SparseRows, text: number): Map<number, number> {
  const own = new Map<number, number>();
  for (let i = offsets[text]; i < offsets[text + 1]; i++) own.set(terms[i], weights[i]);
  return own;
}

const FIELDS = ['year', 'author.name', 'sign "[x]"'];
const TEXTS = ['', 'a', 'b', '2004-05', 'ß', "o'c"];

function drawFields(random: Random, _number: number): DocumentFields {
  const fields: DocumentFields = { texts: {}, numbers: {}, flags: {}, present: [], nulls: [] };
  for (const field of FIELDS) {
    if (random.uniform() < 0.25) continue;
    fields.present.push(field);
    if (random.uniform() < 0.5)
      fields.texts[field] = [TEXTS[random.integer(TEXTS.length)], 'b'].slice(0, 1 + random.integer(2));
    if (random.uniform() < 0.5)
      fields.numbers[field] = [random.integer(4), 2.5].slice(0, 1 + random.integer(2));
    if (random.uniform() < 0.3) fields.flags[field] = [random.uniform() < 0.5];
    if (random.uniform() < 0.3) fields.nulls.push(field);
  }
  return fields;
}

const field = fc.constantFrom(...FIELDS, 'no such field');
const value = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(0, 1, 2, 2.5, 3), fc.boolean());
const bound = fc.oneof(fc.constantFrom(...TEXTS), fc.constantFrom(0, 1, 2, 2.5, 3));
const leaf: fc.Arbitrary<FilterTree> = fc.oneof(
  fc.record({ field, values: fc.array(value, { maxLength: 3 }) }),
  fc.record({ field, isNull: fc.constant<true>(true) }),
  fc.record({ field, exists: fc.constant<true>(true) }),
  fc.record({
    field,
    compare: fc.constantFrom('$gt' as const, '$gte' as const, '$lt' as const, '$lte' as const),
    bound,
  }),
);
const { tree: treeArbitrary } = fc.letrec<{ tree: FilterTree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    fc.record({ all: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('tree'), { maxLength: 3 }) }),
    fc.record({ not: tie('tree') }),
  ),
}));
