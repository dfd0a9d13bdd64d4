import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { shareWords, startTinyRun, writeTinyData } from '../../analyze/tiny-run.fixture.js';
import { openRun } from '../../run/open-run.js';
import { evaluationSet } from '../../run/training-data.js';
import { DenseCheckpoint } from '../../train/refresh/dense-checkpoint.js';
import { measureBm25, measureRun } from './measure-row.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-measure-row-'));
  await writeTinyData(folder);
  await shareWords(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['one vector a document', []],
  ['several', ['model.passages={mode: max, pieces: 3}', 'model.maxLength.document=4']],
])(
  "BM25's best are reranked in the order and with the scores of the whole ranking: %s",
  async (name, set) => {
    const run = await startTinyRun(folder, name, set);
    const session = { threads: 1 };
    const bm25 = await measureBm25(run, { system: 'BM25', split: 'dev' });
    const { retrieval, rerank } = await measureRun(run, {
      system: name,
      step: 0,
      split: 'dev',
      bm25,
      session,
    });

    const { data, description } = await openRun(run.path, { quiet: true });
    const { queries } = await evaluationSet(data, { split: 'dev', limit: 0, seed: 0 });
    const refresh = await DenseCheckpoint.open(0, { run, recipe: description.recipe, data, session });
    const whole = await refresh.rankings(queries, data.documents.count);
    await refresh.close();
    await data.close();
    expect(retrieval.rankings).toEqual(whole);
    let candidates = 0;
    for (const [id, { ids, scores }] of whole) {
      const best = bm25.rankings.get(id)!.ids.slice(0, 100);
      const ranks = [...ids.keys()].filter((rank) => best.includes(ids[rank]));
      expect(rerank!.rankings.get(id)).toEqual({
        ids: ranks.map((rank) => ids[rank]),
        scores: Float64Array.from(ranks, (rank) => scores[rank]),
      });
      candidates += ranks.length;
    }
    expect(candidates).toBeGreaterThan(whole.size);
  },
);
