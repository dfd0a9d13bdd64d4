/**
 * What int8 gains over fp32 when texts are encoded, and what it costs in what they find. One JSON line a collection.
 *
 *   npm run bench:precision
 *   npm run bench:precision -- --collections scifact --documents 2000 --max-length 128 --threads 1 --clock cpu
 */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { TopK } from '../src/base/top-k.js';
import { type Dataset, fullText, openDataset, type Qrels } from '../src/data/index.js';
import { evaluate, type Ranking } from '../src/evaluate/index.js';
import { Encoder, loadEncoderModel } from '../src/model/index.js';
import { type Clock, secondsOf } from './engine/clock.js';

const { values } = parseArgs({
  options: {
    collections: { type: 'string', default: 'scifact,medquad' },
    model: { type: 'string', default: 'minilm' },
    split: { type: 'string', default: 'test' },
    /** So many documents at most; those that answer a query are among them. */
    documents: { type: 'string', default: 'all' },
    'max-length': { type: 'string' },
    threads: { type: 'string' },
    clock: { type: 'string', default: 'wall' },
    data: { type: 'string', default: resolve(import.meta.dirname, '../../shared/data') },
  },
});
const K = 10;
const MEASURE = `nDCG@${K}`;
const clock = values.clock as Clock;
const log = (line: string): void => void process.stderr.write(`bench:precision: ${line}\n`);

const maxLength = values['max-length'] === undefined ? undefined : Number(values['max-length']);
const model = await loadEncoderModel(values.model, { maxLength });
const session = { threads: values.threads === undefined ? undefined : Number(values.threads) };
for (const name of values.collections.split(',')) {
  const folder = resolve(values.data, name);
  if (existsSync(folder))
    process.stdout.write(`${JSON.stringify(await measure(name, await openDataset(folder)))}\n`);
  else log(`${folder} is not there: left out`);
}

async function measure(collection: string, dataset: Dataset): Promise<Record<string, unknown>> {
  const qrels = await dataset.qrels(values.split);
  const documents = await someDocuments(dataset, qrels);
  const queries: { id: string; text: string }[] = [];
  for await (const query of dataset.queries(values.split)) queries.push(query);
  log(`${collection}: ${documents.length} documents, ${queries.length} queries`);
  const results: Record<string, { tokensPerSecond: number; ndcg: number }> = {};
  for (const precision of ['fp32', 'int8'] as const) {
    const encoder = await Encoder.create(model, { session: { ...session, precision } });
    let tokens = 0;
    let vectors = new Float32Array();
    const seconds = await secondsOf(clock, async () => {
      const texts = documents.map(({ text }) => text);
      ({ vectors } = (await encoder.encode(texts, {
        use: 'document',
        onBatch: (done) => {
          tokens += done.tokens;
        },
      })) as { vectors: Float32Array<ArrayBuffer> });
    });
    const asked = await encoder.encode(
      queries.map(({ text }) => text),
      { use: 'query' },
    );
    await encoder.release();
    const ndcg = quality(asked.vectors, vectors, { documents, queries, qrels });
    results[precision] = { tokensPerSecond: tokens / seconds, ndcg };
    log(
      `${collection} ${precision}: ${Math.round(tokens / seconds)} tokens/s, ${MEASURE} ${ndcg.toFixed(4)}`,
    );
  }
  const { fp32, int8 } = results;
  return {
    collection,
    documents: documents.length,
    queries: queries.length,
    maxLength: model.maxLength,
    fp32TokensPerSecond: Math.round(fp32.tokensPerSecond),
    int8TokensPerSecond: Math.round(int8.tokensPerSecond),
    ratio: Number((int8.tokensPerSecond / fp32.tokensPerSecond).toFixed(3)),
    fp32Ndcg: Number(fp32.ndcg.toFixed(4)),
    int8Ndcg: Number(int8.ndcg.toFixed(4)),
    loss: Number((fp32.ndcg - int8.ndcg).toFixed(4)),
  };
}

/** Those that answer a query first, then others in their order. */
async function someDocuments(dataset: Dataset, qrels: Qrels): Promise<{ id: string; text: string }[]> {
  const wanted = new Set([...qrels.values()].flatMap((judged) => [...judged.keys()]));
  const [answers, others]: { id: string; text: string }[][] = [[], []];
  for await (const document of dataset.documents()) {
    (wanted.has(document.id) ? answers : others).push({ id: document.id, text: fullText(document) });
  }
  const limit = values.documents === 'all' ? Number.POSITIVE_INFINITY : Number(values.documents);
  return [...answers, ...others].slice(0, Math.max(limit, answers.length));
}

function quality(
  asked: Float32Array,
  vectors: Float32Array,
  { documents, queries, qrels }: { documents: { id: string }[]; queries: { id: string }[]; qrels: Qrels },
): number {
  const dimension = vectors.length / documents.length;
  const rankings = new Map<string, Ranking>();
  for (const [q, { id }] of queries.entries()) {
    const best = new TopK(K);
    for (let d = 0; d < documents.length; d++) {
      let score = 0;
      for (let i = 0; i < dimension; i++) score += asked[q * dimension + i] * vectors[d * dimension + i];
      best.push(d, score);
    }
    const { ids, scores } = best.ranked();
    rankings.set(id, { ids: Array.from(ids, (d) => documents[d].id), scores: Float64Array.from(scores) });
  }
  return evaluate({ tag: 'dense', rankings }, qrels, [MEASURE]).mean[MEASURE];
}
