// Whether product quantisation would beat the codes that are there: the share of the true top 10 among the best R by their codes, which is what
// remains after rescoring R whole vectors, at so many bytes a vector. One JSON line a code. Vectors are those of a flat index (--index), of
// which some are the queries, or clustered ones as bench:scale draws them.
// npm run bench:pq -- [--count 100000] [--dim 64] [--index FOLDER] [--queries 100]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../src/engine/random.js';
import { openStoredRows } from '../src/index/engines/stored-rows.js';
import { IndexFolder } from '../src/index/vectors/index-folder.js';
import { writeClustered } from './scale/clustered.js';
import { readAll } from './scale/truth.js';

const [K, SAMPLE, ROUNDS, CENTROIDS, NUMBER_BYTES] = [10, 20_000, 8, 256, 4];
const DEPTHS = [20, 50, 100, 200, 400, 800];

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '100000' },
    dim: { type: 'string', default: '64' },
    index: { type: 'string' },
    queries: { type: 'string', default: '100' },
  },
});

interface Vectors {
  rows: Float32Array;
  queries: Float32Array;
  dimension: number;
}

/** Scores every vector by its code. */
type Scorer = (query: Float32Array, scores: Float32Array) => void;

interface Code {
  name: string;
  bytes: number;
  scorer: Scorer;
}

const data = values.index === undefined ? await clustered() : await fromIndex(values.index);
const { rows, queries, dimension } = data;
const total = rows.length / dimension;
const mean = meanOf(rows);
const parts = [dimension / 16, dimension / 8, dimension / 4].filter((m) => Number.isInteger(m) && m >= 4);
const codes = [signs(), eightBits(), ...parts.map(product)];
for (const { name, bytes, scorer } of codes) {
  const found = DEPTHS.map(() => 0);
  const [exact, scores] = [new Float32Array(total), new Float32Array(total)];
  for (let at = 0; at < queries.length; at += dimension) {
    const query = queries.subarray(at, at + dimension);
    for (let row = 0; row < total; row++) exact[row] = dot(query, rows, row * dimension);
    const wanted = new Set(best(exact, K));
    scorer(query, scores);
    best(scores, DEPTHS[DEPTHS.length - 1]).forEach((row, rank) => {
      if (wanted.has(row)) DEPTHS.forEach((depth, i) => void (rank < depth && found[i]++));
    });
  }
  const shares = found.map((n) => Number(((n * dimension) / (K * queries.length)).toFixed(3)));
  const among = Object.fromEntries(DEPTHS.map((depth, i) => [depth, shares[i]]));
  console.log(JSON.stringify({ code: name, vectors: total, dim: dimension, bytes, among }));
}

/** A bit a number of what is left of the mean, and a factor. */
function signs(): Code {
  const signsOf = Int8Array.from(rows, (value, i) => (value >= mean[i % dimension] ? 1 : -1));
  return factored('binary', dimension / 8 + NUMBER_BYTES, signsOf);
}

/** A byte a number, and a factor. */
function eightBits(): Code {
  const kept = new Int8Array(rows.length);
  for (let row = 0; row < total; row++) {
    let most = 1e-20;
    for (let i = 0; i < dimension; i++) most = Math.max(most, Math.abs(rest(row, i)));
    for (let i = 0; i < dimension; i++) kept[row * dimension + i] = Math.round((127 * rest(row, i)) / most);
  }
  return factored('int8', dimension + NUMBER_BYTES, kept);
}

function rest(row: number, i: number): number {
  return rows[row * dimension + i] - mean[i];
}

/** The factor makes a code's product with its own vector right. */
function factored(name: string, bytes: number, kept: Int8Array): Code {
  const factors = Float32Array.from({ length: total }, (_, row) => {
    let [square, product] = [0, 0];
    for (let i = 0; i < dimension; i++) {
      square += rest(row, i) ** 2;
      product += rest(row, i) * kept[row * dimension + i];
    }
    return product === 0 ? 0 : square / product;
  });
  return {
    name,
    bytes,
    scorer(query, scores) {
      const base = dot(query, mean, 0);
      for (let row = 0; row < total; row++) {
        let sum = 0;
        for (let i = 0; i < dimension; i++) sum += query[i] * kept[row * dimension + i];
        scores[row] = base + factors[row] * sum;
      }
    },
  };
}

/** A byte for each of m parts of a vector: which of 256 centroids is nearest. */
function product(m: number): Code {
  const width = dimension / m;
  const books = Array.from({ length: m }, (_, part) => train(part * width, width));
  const kept = new Uint8Array(total * m);
  for (let row = 0; row < total; row++) {
    for (let part = 0; part < m; part++) {
      kept[row * m + part] = nearest(books[part], row * dimension + part * width, width);
    }
  }
  return {
    name: `product of ${m}`,
    bytes: m,
    scorer(query, scores) {
      const table = new Float32Array(m * CENTROIDS);
      for (let part = 0; part < m; part++) {
        for (let c = 0; c < CENTROIDS; c++) {
          for (let i = 0; i < width; i++) {
            table[part * CENTROIDS + c] += query[part * width + i] * books[part][c * width + i];
          }
        }
      }
      for (let row = 0; row < total; row++) {
        let sum = 0;
        for (let part = 0; part < m; part++) sum += table[part * CENTROIDS + kept[row * m + part]];
        scores[row] = sum;
      }
    },
  };
}

/** k-means (Lloyd) of one part of a sample. */
function train(start: number, width: number): Float32Array {
  const random = Random.from(7, 'product', String(start));
  const sample = Array.from(
    { length: Math.min(SAMPLE, total) },
    () => random.integer(total) * dimension + start,
  );
  const book = new Float32Array(CENTROIDS * width);
  for (let c = 0; c < CENTROIDS; c++) book.set(rows.subarray(sample[c], sample[c] + width), c * width);
  for (let round = 0; round < ROUNDS; round++) {
    const [sums, counts] = [new Float64Array(book.length), new Uint32Array(CENTROIDS)];
    for (const at of sample) {
      const c = nearest(book, at, width);
      counts[c]++;
      for (let i = 0; i < width; i++) sums[c * width + i] += rows[at + i];
    }
    for (let i = 0; i < book.length; i++) {
      const members = counts[Math.floor(i / width)];
      if (members > 0) book[i] = sums[i] / members;
    }
  }
  return book;
}

function nearest(book: Float32Array, at: number, width: number): number {
  let [near, least] = [0, Number.POSITIVE_INFINITY];
  for (let c = 0; c < CENTROIDS; c++) {
    let distance = 0;
    for (let i = 0; i < width; i++) distance += (rows[at + i] - book[c * width + i]) ** 2;
    if (distance < least) [near, least] = [c, distance];
  }
  return near;
}

function dot(query: Float32Array, of: Float32Array, at: number): number {
  let sum = 0;
  for (let i = 0; i < dimension; i++) sum += query[i] * of[at + i];
  return sum;
}

function best(scores: Float32Array, count: number): number[] {
  const order = Uint32Array.from(scores, (_, row) => row).sort((a, b) => scores[b] - scores[a]);
  return [...order.subarray(0, count)];
}

function meanOf(all: Float32Array): Float32Array {
  const sums = new Float64Array(dimension);
  for (let i = 0; i < all.length; i++) sums[i % dimension] += all[i];
  return Float32Array.from(sums, (sum) => (sum * dimension) / all.length);
}

async function clustered(): Promise<Vectors> {
  const folder = mkdtempSync(join(tmpdir(), 'nearmiss-pq-'));
  const [count, wide] = [Number(values.count), Number(values.dim)];
  const draw = async (part: string, some: number): Promise<Float32Array> => {
    const path = join(folder, `${part}.npy`);
    const options = { dimension: wide, clusters: Math.ceil(count / 1000), seed: 42 };
    await writeClustered(path, { ...options, count: some, part });
    return readAll(path);
  };
  const drawn = {
    rows: await draw('vectors', count),
    queries: await draw('queries', Number(values.queries)),
    dimension: wide,
  };
  rmSync(folder, { recursive: true });
  return drawn;
}

/** Every so many vectors one is a query, and no longer there to be found. */
async function fromIndex(path: string): Promise<Vectors> {
  const folder = await IndexFolder.open(path);
  const stored = await openStoredRows(folder);
  const { count, dimension: wide } = folder.metadata;
  const each = Math.floor(count / Number(values.queries));
  const lists: [number[], number[]] = [[], []];
  let row = 0;
  for await (const block of stored.blocks()) {
    for (let at = 0; at < block.length; at += wide, row++) {
      lists[row % each === 0 ? 1 : 0].push(...block.subarray(at, at + wide));
    }
  }
  await stored.close();
  return { rows: Float32Array.from(lists[0]), queries: Float32Array.from(lists[1]), dimension: wide };
}
