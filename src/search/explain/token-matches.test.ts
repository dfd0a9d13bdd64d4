import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCollection } from '../../../test/web/collection.js';
import { loadEncoderModel } from '../../model/encoder/encoder-model.js';
import { saveEncoderModel } from '../../model/encoder/save-encoder.js';
import { withSearcher } from './searcher.fixture.js';

let root: string;
const models: Record<string, string> = {};
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'nearmiss-matches-'));
  await writeCollection(join(root, 'data'));
  const heads = {
    tokens: { pooling: 'tokens', projection: 32, bias: false, normalize: true, fillQueries: 12 },
    'first-tokens': { pooling: 'first-tokens', rows: 3, normalize: true },
    codes: { pooling: 'codes', rows: 4, normalize: false },
  };
  for (const [name, head] of Object.entries(heads)) {
    models[name] = join(root, name);
    await saveEncoderModel(
      models[name],
      await loadEncoderModel('minilm', { layers: 1, maxLength: 48, head }),
      {
        onnx: false,
      },
    );
  }
});
afterAll(() => rm(root, { recursive: true, force: true }));

const QUERY = 'tired people lack iron';

test.each([false, true])(
  'late interaction: what each token chose adds up to the score (workers: %s)',
  (inWorkers) =>
    withSearcher(root, { model: models.tokens, modes: ['dense'], inWorkers }, async (searcher) => {
      const hits = await searcher.search(QUERY, { mode: 'dense', k: 5, explain: true });
      for (const { score, text, parts } of hits) {
        const [{ name, matches }] = parts!;
        expect(name).toBe('dense');
        const { query, document } = matches!;
        expect(query.map(({ token }) => token).slice(0, 7)).toEqual(
          '[CLS] [unused0] tired people lack iron [SEP]'.split(' '),
        );
        expect(query).toHaveLength(12);
        expect(document.slice(0, 2)).toEqual(['[CLS]', '[unused1]']);
        expect(query.reduce((sum, each) => sum + each.score, 0)).toBeCloseTo(score, 4);
        // Punctuation is read and shown, but never chosen.
        expect(document).toContain('.');
        for (const { chose } of query) expect(document[chose]).not.toBe('.');
        expect(text).not.toBe('');
      }
      expect((await searcher.search(QUERY, { mode: 'dense', k: 1 }))[0].parts).toBeUndefined();
    }),
);

test('a reranker of tokens explains its own part, whatever found the documents', () =>
  withSearcher(root, { reranker: models.tokens, modes: ['bm25', 'cascade'] }, async (searcher) => {
    const [hit] = await searcher.search(QUERY, { mode: 'cascade', k: 3, explain: true });
    const late = hit.parts!.find(({ name }) => name === 'late')!;
    expect(late.matches!.query.reduce((sum, { score }) => sum + score, 0)).toBeCloseTo(hit.score, 4);
    expect(hit.parts!.find(({ name }) => name === 'bm25')!.matches).toBeUndefined();
  }));

test("the first tokens' model tells which of them was best; codes are no tokens", async () => {
  await withSearcher(root, { model: models['first-tokens'], modes: ['dense'] }, async (searcher) => {
    const [{ score, parts }] = await searcher.search(QUERY, { mode: 'dense', k: 1, explain: true });
    const { query, document } = parts![0].matches!;
    expect(query).toHaveLength(1);
    expect(query[0].score).toBeCloseTo(score, 4);
    expect(query[0].chose).toBeLessThan(3);
    expect(document.length).toBeGreaterThan(3);
  });
  await withSearcher(root, { model: models.codes, modes: ['dense'] }, async (searcher) => {
    const [{ parts }] = await searcher.search(QUERY, { mode: 'dense', k: 1, explain: true });
    expect(parts).toEqual([{ name: 'dense', score: expect.any(Number), rank: 1 }]);
  });
});
