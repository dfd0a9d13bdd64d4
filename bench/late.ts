/**
 * What an index of tokens costs and finds, one JSON line a size and number of bits. Documents and queries are those of a collection; sizes
 * beyond it are made by copies of its token rows that are moved a little. Builds and searches run in processes of their own.
 *
 *   npm run bench:late -- --documents 1000,all --bits 2,4
 *   npm run bench:late -- --model runs/colbert/best --documents all --times 1,10 --bits 2 --folder rows  # encodes once
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Dataset, fullText, openDataset, type Qrels } from '../src/data/index.js';
import { evaluate, type Ranking } from '../src/evaluate/index.js';
import { bestDocuments } from '../src/index/tokens/best-documents.js';
import type { TokenBits } from '../src/index/tokens/residual-codec.js';
import { RowProducts } from '../src/index/tokens/row-products.js';
import { openSearchIndex } from '../src/index/vectors/open.js';
import { writeDocumentIndex } from '../src/index/write-documents.js';
import { Encoder, loadEncoderModel } from '../src/model/index.js';
import { addMaxSims } from './late/max-sims.js';
import { grown, type StoredRows } from './late/token-rows.js';

const { values } = parseArgs({
  options: {
    data: { type: 'string', default: resolve(import.meta.dirname, '../../shared/data/medquad') },
    split: { type: 'string', default: 'dev' },
    /** A model whose rows are tokens; without, minilm's first layers with an untrained projection to 128 numbers. */
    model: { type: 'string' },
    layers: { type: 'string', default: '3' },
    documents: { type: 'string', default: '1000' },
    times: { type: 'string', default: '1' },
    bits: { type: 'string', default: '2,4' },
    'max-length': { type: 'string', default: '128' },
    queries: { type: 'string', default: '100' },
    threads: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    folder: { type: 'string' },
    step: { type: 'string' },
  },
});
const K = 10;
const MEASURE = `nDCG@${K}`;
const session = { threads: values.threads === undefined ? undefined : Number(values.threads) };
const log = (line: string): void => void process.stderr.write(`bench:late: ${line}\n`);

interface Encoded {
  rows: StoredRows;
  queries: { vectors: Float32Array; offsets: Uint32Array; ids: string[] };
  documentIds: string[];
  encodeSeconds: number;
  qrels: Qrels;
}

if (values.step !== undefined) {
  const { step, ...task } = JSON.parse(values.step) as { step: 'build' | 'search' } & Task;
  const result = step === 'build' ? await build(task) : await search(task);
  const peakRssMb = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(JSON.stringify({ ...result, peakRssMb }));
} else {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'nearmiss-late-'));
  mkdirSync(folder, { recursive: true });
  try {
    for (const size of values.documents.split(',')) await benchSize(folder, size);
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true });
  }
}

/** What a process of its own is told. */
interface Task {
  folder: string;
  index: string;
  times: number;
  bits: TokenBits;
}

async function benchSize(folder: string, size: string): Promise<void> {
  const encoded = await encodeAll(folder, size);
  const { rows, queries } = encoded;
  for (const times of values.times.split(',').map(Number)) {
    const source = grown(rows, times);
    const [docs, tokens] = [source.offsets.length - 1, source.offsets[source.offsets.length - 1]];
    log(`${docs} documents, ${tokens} tokens: comparing all rows as they are`);
    const truth = await exactTop(source, queries, rows.dimension);
    const ndcgFull = quality(truth, encoded);
    for (const bits of values.bits.split(',').map(Number) as TokenBits[]) {
      const index = join(folder, `index-${bits}`);
      rmSync(index, { recursive: true, force: true });
      const run = (step: 'build' | 'search'): Record<string, number> & { found?: number[][] } => {
        log(`${docs} documents, ${bits} bits: ${step}`);
        const task = JSON.stringify({ step, folder, index, times, bits });
        const flags = ['--step', task, '--seconds', values.seconds];
        if (values.threads !== undefined) flags.push('--threads', values.threads);
        const output = execFileSync(process.execPath, ['--import', 'tsx', import.meta.filename, ...flags], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'inherit'],
          maxBuffer: 2 ** 28,
        });
        return JSON.parse(output);
      };
      const built = run('build');
      const { found, ...searched } = run('search');
      const bytes = ['codes.bin', 'residuals.bin'].reduce(
        (sum, name) => sum + statSync(join(index, name)).size,
        0,
      );
      const line = {
        docs,
        tokens,
        bits,
        bytesPerToken: bytes / tokens,
        buildSeconds: built.buildSeconds,
        encodeSeconds: round(encoded.encodeSeconds * times, 1),
        openSeconds: searched.openSeconds,
        exhaustiveQps: searched.exhaustiveQps,
        fastQps: searched.fastQps,
        overlapAt10: searched.overlapAt10,
        ndcgFull: round(ndcgFull, 4),
        ndcgCompressed: round(quality(found!, encoded), 4),
        peakRssMb: Math.max(built.peakRssMb, searched.peakRssMb),
        buildRssMb: built.peakRssMb,
        queryRows: queries.offsets[1],
        queries: queries.ids.length,
      };
      process.stdout.write(`${JSON.stringify(line)}\n`);
    }
  }
}

/** What rows were made of: the same is not encoded again in a folder that is kept. */
function recipeOf(size: string): string {
  const { data, split, model, layers, queries } = values;
  return JSON.stringify({ data, split, model, layers, size, queries, maxLength: values['max-length'] });
}

/** Encodes documents into a file, and queries; those that answer a query are among the documents. */
async function encodeAll(folder: string, size: string): Promise<Encoded> {
  const before = join(folder, 'encoded.json');
  if (existsSync(before)) {
    const { recipe, ids, documentIds, encodeSeconds } = JSON.parse(readFileSync(before, 'utf8'));
    if (recipe === recipeOf(size)) {
      const { queries, queryOffsets, ...rows } = stored(folder);
      const qrels = await (await openDataset(values.data)).qrels(values.split);
      const asked = { vectors: queries, offsets: queryOffsets, ids };
      return { rows, queries: asked, documentIds, encodeSeconds, qrels };
    }
  }
  const dataset = await openDataset(values.data);
  const qrels = await dataset.qrels(values.split);
  const asked: { id: string; text: string }[] = [];
  for await (const query of dataset.queries(values.split)) {
    if (asked.length < Number(values.queries)) asked.push(query);
  }
  const documents = await someDocuments(dataset, qrels, new Set(asked.map(({ id }) => id)), size);
  const maxLength = Number(values['max-length']);
  const model = await loadEncoderModel(values.model ?? 'minilm', {
    maxLength,
    ...(values.model === undefined && {
      layers: Number(values.layers),
      head: { pooling: 'tokens', projection: 128, bias: false, normalize: true },
    }),
  });
  const encoder = await Encoder.create(model, { session });
  const path = join(folder, 'rows.f32');
  const file = await open(path, 'w');
  const offsets = new Uint32Array(documents.length + 1);
  const started = performance.now();
  for (let first = 0; first < documents.length; first += 256) {
    const part = documents.slice(first, first + 256).map(({ text }) => text);
    const encoded = await encoder.encode(part, { use: 'document' });
    await file.write(
      new Uint8Array(encoded.vectors.buffer, encoded.vectors.byteOffset, encoded.vectors.byteLength),
    );
    for (let i = 1; i <= part.length; i++) offsets[first + i] = offsets[first] + encoded.offsets[i];
    if (first % 4096 === 0) log(`encoded ${first + part.length} of ${documents.length} documents`);
  }
  const encodeSeconds = (performance.now() - started) / 1000;
  await file.close();
  const encoded = await encoder.encode(
    asked.map(({ text }) => text),
    { use: 'query' },
  );
  await encoder.release();
  const rows = { path, dimension: encoder.dimension, offsets };
  writeFileSync(
    join(folder, 'encoded.json'),
    JSON.stringify({
      recipe: recipeOf(size),
      ids: asked.map(({ id }) => id),
      documentIds: documents.map(({ id }) => id),
      encodeSeconds,
      dimension: rows.dimension,
      offsets: [...offsets],
      queries: [...encoded.vectors],
      queryOffsets: [...encoded.offsets],
    }),
  );
  return {
    rows,
    queries: { ...encoded, ids: asked.map(({ id }) => id) },
    documentIds: documents.map(({ id }) => id),
    encodeSeconds,
    qrels,
  };
}

async function someDocuments(
  dataset: Dataset,
  qrels: Qrels,
  asked: ReadonlySet<string>,
  size: string,
): Promise<{ id: string; text: string }[]> {
  const wanted = new Set(
    [...qrels].flatMap(([query, judged]) => (asked.has(query) ? [...judged.keys()] : [])),
  );
  const [answers, others]: { id: string; text: string }[][] = [[], []];
  for await (const document of dataset.documents()) {
    (wanted.has(document.id) ? answers : others).push({ id: document.id, text: fullText(document) });
  }
  const limit = size === 'all' ? Number.POSITIVE_INFINITY : Number(size);
  return [...answers, ...others].slice(0, Math.max(limit, answers.length));
}

/** The best documents of each query by the rows as they are; one pass over them for all queries. */
async function exactTop(
  source: ReturnType<typeof grown>,
  queries: Encoded['queries'],
  dimension: number,
): Promise<number[][]> {
  const products = await RowProducts.open(dimension, session);
  const count = source.offsets.length - 1;
  const scores = queries.ids.map(() => new Float32Array(count));
  let [row, document] = [0, 0];
  let carried = new Float32Array();
  for await (const block of source.blocks()) {
    const joined = new Float32Array(carried.length + block.length);
    joined.set(carried);
    joined.set(block, carried.length);
    const first = row - carried.length / dimension;
    row += block.length / dimension;
    let end = document;
    while (end < count && source.offsets[end + 1] <= row) end++;
    const last = source.offsets[end] - first;
    const offsets = source.offsets.subarray(document, end + 1).map((offset) => offset - first);
    const whole = joined.subarray(0, last * dimension);
    for (const [q] of queries.ids.entries()) {
      const rows = queries.vectors.subarray(
        queries.offsets[q] * dimension,
        queries.offsets[q + 1] * dimension,
      );
      if (end > document) {
        addMaxSims(
          await products.of(whole, rows),
          offsets,
          rows.length / dimension,
          scores[q].subarray(document, end),
        );
      }
    }
    carried = joined.slice(last * dimension);
    document = end;
  }
  await products.release();
  const documents = Uint32Array.from({ length: count }, (_, i) => i);
  return scores.map((each) => [...bestDocuments({ documents, scores: each }, K).documents]);
}

function quality(found: readonly (readonly number[])[], { queries, documentIds, qrels }: Encoded): number {
  const rankings = new Map<string, Ranking>(
    queries.ids.map((id, q) => [
      id,
      {
        // Copies are documents of their own, and nobody's answer.
        ids: found[q].map((document) => documentIds[document] ?? `copy ${document}`),
        scores: Float64Array.from(found[q], (_, rank) => -rank),
      },
    ]),
  );
  const judged = new Map([...qrels].filter(([id]) => queries.ids.includes(id)));
  return evaluate({ tag: 'late', rankings }, judged, [MEASURE]).mean[MEASURE];
}

function stored(folder: string): StoredRows & { queries: Float32Array; queryOffsets: Uint32Array } {
  const { dimension, offsets, queries, queryOffsets } = JSON.parse(
    readFileSync(join(folder, 'encoded.json'), 'utf8'),
  );
  return {
    path: join(folder, 'rows.f32'),
    dimension,
    offsets: Uint32Array.from(offsets as number[]),
    queries: Float32Array.from(queries as number[]),
    queryOffsets: Uint32Array.from(queryOffsets as number[]),
  };
}

async function build({ folder, index, times, bits }: Task): Promise<Record<string, number>> {
  const rows = stored(folder);
  const started = performance.now();
  await writeDocumentIndex(index, grown(rows, times), {
    dimension: rows.dimension,
    scorer: 'max-sim',
    bits,
    session,
  });
  return { buildSeconds: round((performance.now() - started) / 1000, 1) };
}

async function search({ folder, index }: Task): Promise<Record<string, unknown>> {
  const { dimension, queries, queryOffsets } = stored(folder);
  const started = performance.now();
  const opened = await openSearchIndex(index, { session });
  const openSeconds = round((performance.now() - started) / 1000, 3);
  const total = queryOffsets.length - 1;
  const one = async (q: number, exhaustive: boolean): Promise<number[]> => {
    const rows = queries.subarray(queryOffsets[q] * dimension, queryOffsets[q + 1] * dimension);
    const offsets = Uint32Array.of(0, rows.length / dimension);
    const { ids } = await opened.search(rows, { k: K, queryOffsets: offsets, exhaustive });
    return [...ids].filter((id) => id >= 0);
  };
  await one(0, false);
  const [found, compared]: number[][][] = [[], []];
  let started2 = performance.now();
  for (let q = 0; q < total; q++) found.push(await one(q, false));
  const fastQps = (1000 * total) / (performance.now() - started2);
  started2 = performance.now();
  // As many as there is time for, and at least ten.
  for (
    let q = 0;
    q < total && (q < 10 || performance.now() - started2 < Number(values.seconds) * 1000);
    q++
  ) {
    compared.push(await one(q, true));
  }
  const exhaustiveQps = (1000 * compared.length) / (performance.now() - started2);
  const shared = compared.map((ids, q) => ids.filter((id) => found[q].includes(id)).length / ids.length);
  await opened.close();
  return {
    openSeconds,
    exhaustiveQps: round(exhaustiveQps, 2),
    fastQps: round(fastQps, 1),
    overlapAt10: round(shared.reduce((sum, share) => sum + share, 0) / shared.length, 4),
    found,
  };
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
