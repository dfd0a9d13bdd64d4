import {
  type Code,
  type WasmFunction,
  type WasmProgram,
  wasm,
  wasmMemory,
  wasmProgram,
} from '../wasm-module.js';
import { WORDS } from './codeword-finder.js';
import { type Codebook, FIRST_BYTES, type ResidualCodec } from './residual-codec.js';

/** Numbers of 16 bits in a vector of the processor: rows of a query that are compared at once. */
const LANES = 8;
const VECTOR = 16;
/** Vectors that fit the processor's registers beside others. */
const MOST_VECTORS = 4;
/** Rows of a query that are compared together, at most. */
export const MOST_QUERY_ROWS = LANES * MOST_VECTORS;
/** Documents compared at once. */
const DOCUMENTS = 1024;
/** Rows of documents compared at once, unless one has more. */
const ROWS = 8192;
/** One, of scales that are not above it. */
const WHOLE = 2 ** 15;
const LARGEST = WHOLE - 1;

/** By how much of rows documents are compared: their centroids, the first of their bytes, all. */
export type Extent = 'centroids' | 'part' | 'whole';

/** A query as {@link TokenKernel} compares it. */
export interface LateQuery {
  rows: number;
  /** [rows, dimension], along the codebook's directions and divided by `unit`. */
  numbers: Float32Array;
  /** [centroids, rows]: products of all centroids with these. */
  centroids: Float32Array;
  /** What 1 in a sum stands for. */
  unit: number;
}

/** How many vectors of the processor so many rows of a query fill: 1, 2 or 4. */
export function vectorsFor(queryRows: number): number {
  return Math.min(MOST_VECTORS, 2 ** Math.ceil(Math.log2(Math.ceil(queryRows / LANES))));
}

/** The length of the longest codeword of each byte. */
export function longestWords({ sizes, codewords }: Codebook): Float64Array {
  let at = 0;
  return Float64Array.from(sizes, (size) => {
    let longest = 0;
    for (let word = 0; word < WORDS; word++, at += size) {
      longest = Math.max(longest, lengthOf(codewords, at, at + size));
    }
    return longest;
  });
}

/** What numbers of a query are to be divided by, so that no sum of a centroid's and its codewords' products leaves 16 bits. */
export function unitFor(turned: Float32Array, { dimension, sizes }: Codebook, longest: Float64Array): number {
  let most = 0;
  for (let row = 0; row < turned.length; row += dimension) {
    let sum = 1.001 * lengthOf(turned, row, row + dimension);
    let first = row;
    for (let group = 0; group < sizes.length; group++) {
      sum += longest[group] * lengthOf(turned, first, first + sizes[group]);
      first += sizes[group];
    }
    most = Math.max(most, sum);
  }
  // Each is rounded by a half at most.
  return most > 0 ? most / (LARGEST - longest.length - 1) : 1;
}

function lengthOf(numbers: Float32Array, start: number, end: number): number {
  let squares = 0;
  for (let i = start; i < end; i++) squares += numbers[i] * numbers[i];
  return Math.sqrt(squares);
}

/**
 * Compares a query's rows with those of documents as they are packed, Σᵢ maxⱼ qᵢ·dⱼ, without putting these together: the product with a row is
 * that with its centroid and, from a table, with each of its codewords (WARP's implicit decompression, Scheerer et al. 2025). In
 * WebAssembly and 16 bits: the products of 32 rows with a codeword are four loads and additions.
 */
export class TokenKernel {
  readonly vectors: number;
  /** Rows of documents that there is room for. */
  readonly capacity: number;
  /** How many documents there is room for. */
  readonly documents = DOCUMENTS;
  /** Where the codes of documents' rows are put, with their scales, and how many each has. */
  readonly codes: Uint32Array;
  readonly counts: Uint32Array;
  /** Where what they differ from centroids by is put. */
  readonly packed: Uint8Array;
  readonly #codec: ResidualCodec;
  readonly #query: Float32Array;
  readonly #centroids: Int16Array;
  readonly #sums: Int32Array;
  readonly #lookUp: () => void;
  readonly #run: Record<Extent, (documents: number) => void>;
  #loaded: { query: LateQuery; first: number } | undefined;

  /** @param longest most rows that a document has */
  constructor(codec: ResidualCodec, { vectors, longest }: { vectors: number; longest: number }) {
    this.#codec = codec;
    this.vectors = vectors;
    this.capacity = Math.max(ROWS, longest);
    const { codebook, rowBytes: groups } = codec;
    const { dimension, sizes } = codebook;
    const count = codebook.centroids.length / dimension;
    const rows = vectors * LANES;
    const shape = { groups, dimension, vectors };
    const places = placesIn(shape);
    const codesAt = places.centroids + count * rows * 2;
    const packedAt = codesAt + this.capacity * 4;
    const countsAt = align(packedAt + this.capacity * groups);
    const sumsAt = countsAt + DOCUMENTS * 4;
    const memory = wasmMemory(sumsAt + DOCUMENTS * 4);
    const { buffer } = memory;
    new Float32Array(buffer, places.words, codebook.codewords.length).set(codebook.codewords);
    new Int16Array(buffer, places.scales, 256).set(factorsOf(codec));
    this.#query = new Float32Array(buffer, places.query, dimension * rows);
    this.#centroids = new Int16Array(buffer, places.centroids, count * rows);
    this.codes = new Uint32Array(buffer, codesAt, this.capacity);
    this.packed = new Uint8Array(buffer, packedAt, this.capacity * groups);
    this.counts = new Uint32Array(buffer, countsAt, DOCUMENTS);
    this.#sums = new Int32Array(buffer, sumsAt, DOCUMENTS);
    let first = 0;
    const tables = Array.from(sizes, (size, group) => {
      const lookUp = lookUpProgram(size, vectors).on(memory);
      const word = places.words + first * WORDS * 4;
      const query = places.query + first * rows * 4;
      first += size;
      return () => void lookUp(word, query, group * WORDS * rows * 2);
    });
    this.#lookUp = () => {
      for (const table of tables) table();
    };
    const run = (bytes: number): ((documents: number) => void) => {
      const sums = sumProgram(shape, bytes).on(memory);
      return (documents) => void sums(codesAt, packedAt, countsAt, sumsAt, documents);
    };
    this.#run = { centroids: run(0), part: run(Math.ceil(FIRST_BYTES * groups)), whole: run(groups) };
  }

  /** The largest scale, by which sums of whole rows are too small. */
  get largestScale(): number {
    return largestScale(this.#codec);
  }

  /** Says which rows of which query are compared from now on: as many as there is room for, from `first` on. */
  load(query: LateQuery, first: number): void {
    if (this.#loaded?.query === query && this.#loaded.first === first) return;
    const { dimension } = this.#codec.codebook;
    const room = this.vectors * LANES;
    const rows = Math.min(room, query.rows - first);
    this.#query.fill(0);
    for (let row = 0; row < rows; row++) {
      const from = (first + row) * dimension;
      for (let i = 0; i < dimension; i++) this.#query[i * room + row] = query.numbers[from + i];
    }
    if (query.rows === room) this.#centroids.set(query.centroids);
    else {
      this.#centroids.fill(0);
      for (let to = 0, from = first; to < this.#centroids.length; to += room, from += query.rows) {
        for (let row = 0; row < rows; row++) this.#centroids[to + row] = query.centroids[from + row];
      }
    }
    this.#lookUp();
    this.#loaded = { query, first };
  }

  /** Sums of the best of each row of the query, for so many documents whose rows were put here; valid until the next call. */
  sums(documents: number, by: Extent): Int32Array {
    if (documents > 0) this.#run[by](documents);
    return this.#sums.subarray(0, documents);
  }
}

function largestScale({ scales }: ResidualCodec): number {
  return scales.lowest + 255 * scales.step;
}

/** What each byte of a scale multiplies by, of {@link WHOLE}. */
function factorsOf(codec: ResidualCodec): Int16Array {
  const { lowest, step } = codec.scales;
  const largest = largestScale(codec);
  return Int16Array.from({ length: 256 }, (_, byte) =>
    largest > 0 ? Math.min(LARGEST, Math.round((WHOLE * (lowest + byte * step)) / largest)) : 0,
  );
}

interface Shape {
  groups: number;
  dimension: number;
  vectors: number;
}

/** Where things lie in memory; tables are at 0. */
function placesIn({
  groups,
  dimension,
  vectors,
}: Shape): Record<'scales' | 'words' | 'query' | 'centroids', number> {
  const rows = vectors * LANES;
  const scales = groups * WORDS * rows * 2;
  const words = scales + 256 * 2;
  const query = words + dimension * WORDS * 4;
  return { scales, words, query, centroids: query + dimension * rows * 4 };
}

function align(bytes: number): number {
  return VECTOR * Math.ceil(bytes / VECTOR);
}

/** Programs that were made before: there are few kinds, and each takes a while. */
const known = new Map<string, WasmProgram>();

function once(key: string, make: () => WasmProgram): WasmProgram {
  const program = known.get(key) ?? make();
  known.set(key, program);
  return program;
}

const advance = (local: number, by: number): Code => [
  ...wasm.get(local),
  ...wasm.i32Const(by),
  ...wasm.i32Add,
  ...wasm.set(local),
];
const each = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** A table: for each of 256 codewords of a size its products with all rows of the query, rounded. */
function lookUpProgram(size: number, vectors: number): WasmProgram {
  return once(`look up ${size} ${vectors}`, () => wasmProgram(lookUpFunction(size, vectors)));
}

function lookUpFunction(size: number, vectors: number): WasmFunction {
  const { get, set, i32Const } = wasm;
  const [WORD, QUERY, TABLE, LEFT, NUMBERS] = [0, 1, 2, 3, 4];
  const rowBytes = vectors * LANES * 4;
  const fourProducts = (from: number): Code => [
    ...each(size).flatMap((i) => [
      ...[...get(NUMBERS + i), ...get(QUERY), ...wasm.v128Load(i * rowBytes + from), ...wasm.f32x4Mul],
      ...(i > 0 ? wasm.f32x4Add : []),
    ]),
    ...[...wasm.f32x4Nearest, ...wasm.i32x4TruncSatF32x4],
  ];
  const oneWord = [
    ...each(size).flatMap((i) => [...get(WORD), ...wasm.v128Load32Splat(4 * i), ...set(NUMBERS + i)]),
    ...each(vectors).flatMap((vector) => [
      ...get(TABLE),
      ...fourProducts(vector * 2 * VECTOR),
      ...fourProducts(vector * 2 * VECTOR + VECTOR),
      ...[...wasm.i16x8NarrowI32x4, ...wasm.v128Store(vector * VECTOR)],
    ]),
    ...advance(WORD, 4 * size),
    ...advance(TABLE, vectors * VECTOR),
    ...advance(LEFT, -1),
  ];
  return {
    name: 'lookUp',
    parameters: ['i32', 'i32', 'i32'],
    result: 'i32',
    locals: ['i32', ...new Array<'v128'>(size).fill('v128')],
    body: [...[...i32Const(WORDS), ...set(LEFT)], ...wasm.repeatWhile(oneWord, get(LEFT)), ...i32Const(0)],
  };
}

/** Σᵢ maxⱼ over the rows of each document, by their centroids and so many of their bytes. */
function sumProgram(shape: Shape, bytes: number): WasmProgram {
  const { groups, dimension, vectors } = shape;
  return once(`sum ${groups} ${dimension} ${vectors} ${bytes}`, () => wasmProgram(sumFunction(shape, bytes)));
}

function sumFunction(shape: Shape, bytes: number): WasmFunction {
  const { get, set, i32Const } = wasm;
  const { groups, vectors } = shape;
  const places = placesIn(shape);
  const [CODES, PACKED, COUNTS, SUMS, DOCUMENTS_LEFT, LEFT, AT] = [0, 1, 2, 3, 4, 5, 6];
  const [SUM, BEST] = [7, 8 + vectors];
  const entry = vectors * VECTOR;
  const shift = Math.log2(entry);
  const lowest = 0x80008000;
  const add = (offset: number): Code =>
    each(vectors).flatMap((vector) => [
      ...[...get(SUM + 1 + vector), ...get(AT), ...wasm.v128Load(offset + vector * VECTOR)],
      ...[...wasm.i16x8AddSat, ...set(SUM + 1 + vector)],
    ]);
  const oneRow = [
    ...[...get(CODES), ...wasm.i32Load(0), ...i32Const(0xffffff), ...wasm.i32And],
    ...[...i32Const(shift), ...wasm.i32Shl, ...set(AT)],
    ...each(vectors).flatMap((vector) => [
      ...get(AT),
      ...wasm.v128Load(places.centroids + vector * VECTOR),
      ...set(SUM + 1 + vector),
    ]),
    ...each(bytes).flatMap((group) => [
      ...[...get(PACKED), ...wasm.i32Load8U(group), ...i32Const(shift), ...wasm.i32Shl, ...set(AT)],
      ...add(group * WORDS * entry),
    ]),
    ...(bytes > 0
      ? [
          ...[...get(CODES), ...wasm.i32Load8U(3), ...i32Const(1), ...wasm.i32Shl],
          ...[...wasm.v128Load16Splat(places.scales), ...set(SUM)],
        ]
      : []),
    ...each(vectors).flatMap((vector) => [
      ...[...get(BEST + vector), ...get(SUM + 1 + vector)],
      ...(bytes > 0 ? [...get(SUM), ...wasm.i16x8Q15MulrSat] : []),
      ...[...wasm.i16x8Max, ...set(BEST + vector)],
    ]),
    ...advance(CODES, 4),
    ...(bytes > 0 ? advance(PACKED, groups) : []),
    ...advance(LEFT, -1),
  ];
  const total = [
    ...each(vectors).flatMap((vector) => [
      ...[...get(BEST + vector), ...wasm.i32x4ExtaddPairwiseI16],
      ...(vector > 0 ? wasm.i32x4Add : []),
    ]),
    ...set(SUM),
    ...get(SUMS),
    ...each(4).flatMap((lane) => [
      ...[...get(SUM), ...wasm.i32x4ExtractLane(lane)],
      ...(lane > 0 ? wasm.i32Add : []),
    ]),
    ...wasm.i32Store(0),
  ];
  return {
    name: 'sums',
    parameters: ['i32', 'i32', 'i32', 'i32', 'i32'],
    result: 'i32',
    locals: ['i32', 'i32', ...new Array<'v128'>(1 + 2 * vectors).fill('v128')],
    body: [
      ...wasm.repeatWhile(
        each(vectors).flatMap((vector) => [
          ...wasm.i32x4Const(lowest, lowest, lowest, lowest),
          ...set(BEST + vector),
        ]),
        [...get(COUNTS), ...wasm.i32Load(0), ...set(LEFT)],
        [...get(LEFT), ...wasm.when(wasm.repeatWhile(oneRow, get(LEFT)))],
        total,
        [...advance(COUNTS, 4), ...advance(SUMS, 4), ...advance(DOCUMENTS_LEFT, -1)],
        get(DOCUMENTS_LEFT),
      ),
      ...i32Const(0),
    ],
  };
}
