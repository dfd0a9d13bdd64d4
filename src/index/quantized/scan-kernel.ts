import { type Code, type WasmProgram, wasm, wasmMemory, wasmProgram } from '../wasm-module.js';

/** How a component of a vector is coded: a sign, or a whole number from −127 to 127. */
export type CodeKind = 'binary' | 'int8';

/** Signs a number of a query is made of, weighed 1, 2, 4 and 8: sixteen levels. */
export const QUERY_PLANES = 4;

/** Where a query is in the kernel's memory; it is followed by the codes, then by what was found. */
const QUERY_AT = 0;
/** Codes compared at once: they stay in the processor's cache while several queries are compared with them. */
const CODE_BYTES = 256 * 1024;
/** A match is its place among the codes (u32) and its score (f32). */
const MATCH_BYTES = 8;

/** Bytes of a code: eight at a time, so that few of them need no instructions of their own. */
export function codeBytes(kind: CodeKind, dimension: number): number {
  return 8 * Math.ceil(dimension / (kind === 'binary' ? 64 : 8));
}

/** Bytes of a record: a code and the number (f32) that what it stands for is multiplied with. */
export function recordBytes(kind: CodeKind, dimension: number): number {
  return codeBytes(kind, dimension) + 4;
}

/** A query as the kernel compares it: a score is `base + factor · (constant + slope · distance)`. */
export interface PreparedQuery {
  bytes: Uint8Array;
  constant: number;
  slope: number;
}

export interface Scan {
  /** How many of the loaded records to look at. */
  records: number;
  /** The place of the first of them, by which matches are known. */
  first: number;
  /** Added to each score. */
  base: number;
  /** What is below it is no match. */
  threshold: number;
}

type ScanFunction = (...numbers: number[]) => number;

/**
 * Compares a query with codes, in WebAssembly made for one kind of code and one dimension: 384 signs take three
 * loads, where JavaScript needs twelve counts of bits by hand.
 */
export class ScanKernel {
  /** Records that {@link codes} has room for. */
  readonly capacity: number;
  /** Where records to compare are put. */
  readonly codes: Uint8Array;
  /** Places and scores of what the last scan found, by turns. */
  readonly places: Uint32Array;
  readonly scores: Float32Array;
  readonly #query: Uint8Array;
  readonly #scan: ScanFunction;
  #prepared: PreparedQuery | undefined;

  constructor(kind: CodeKind, dimension: number) {
    const stride = recordBytes(kind, dimension);
    const queryBytes = align(
      kind === 'binary' ? QUERY_PLANES * codeBytes(kind, dimension) : 2 * codeBytes(kind, dimension),
    );
    this.capacity = Math.max(1, Math.floor(CODE_BYTES / stride));
    const codesAt = QUERY_AT + queryBytes;
    const matchesAt = align(codesAt + this.capacity * stride);
    const memory = wasmMemory(matchesAt + this.capacity * MATCH_BYTES);
    this.#scan = scanProgram(kind, dimension).on(memory).bind(undefined, codesAt, matchesAt);
    this.#query = new Uint8Array(memory.buffer, QUERY_AT, queryBytes);
    this.codes = new Uint8Array(memory.buffer, codesAt, this.capacity * stride);
    this.places = new Uint32Array(memory.buffer, matchesAt, 2 * this.capacity);
    this.scores = new Float32Array(memory.buffer, matchesAt, 2 * this.capacity);
  }

  /** Says which query is compared from now on. */
  prepare(query: PreparedQuery): void {
    this.#query.set(query.bytes);
    this.#prepared = query;
  }

  /** Looks at the loaded records and returns how many matches there are: `places[2 * i]` and `scores[2 * i + 1]`. */
  scan({ records, first, base, threshold }: Scan): number {
    if (records === 0) return 0;
    const { constant, slope } = this.#prepared!;
    return this.#scan(records, first, base, constant, slope, threshold) / MATCH_BYTES;
  }
}

function align(bytes: number): number {
  return 16 * Math.ceil(bytes / 16);
}

// Parameters and locals of the function, by number.
const [CODES, MATCHES, RECORDS, PLACE, BASE, CONSTANT, SLOPE, THRESHOLD] = [0, 1, 2, 3, 4, 5, 6, 7];
const [END, NEXT_MATCH, SCORE, SUM, BYTES] = [8, 9, 10, 11, 12];

function scanProgram(kind: CodeKind, dimension: number): WasmProgram {
  const { get, set, i32Const, f32Load, f32Store, i32Store } = wasm;
  const bytes = codeBytes(kind, dimension);
  const lanes = [0, 1, 2, 3].map((lane) => [...get(SUM), ...wasm.i32x4ExtractLane(lane)]);
  const total = lanes.flatMap((lane, i) => (i === 0 ? lane : [...lane, ...wasm.i32Add]));
  const score = [
    ...[...get(BASE), ...get(CODES), ...f32Load(bytes), ...get(CONSTANT), ...get(SLOPE)],
    ...[...total, ...wasm.f32ConvertI32, ...wasm.f32Mul, ...wasm.f32Add, ...wasm.f32Mul, ...wasm.f32Add],
    ...set(SCORE),
  ];
  const keep = [
    ...[...get(NEXT_MATCH), ...get(PLACE), ...i32Store(0), ...get(NEXT_MATCH), ...get(SCORE), ...f32Store(4)],
    ...advance(NEXT_MATCH, MATCH_BYTES),
  ];
  return wasmProgram({
    name: 'scan',
    parameters: ['i32', 'i32', 'i32', 'i32', 'f32', 'f32', 'f32', 'f32'],
    result: 'i32',
    locals: ['i32', 'i32', 'f32', 'v128', 'v128'],
    body: [
      ...[...get(PLACE), ...get(RECORDS), ...wasm.i32Add, ...set(END)],
      ...[...get(MATCHES), ...set(NEXT_MATCH)],
      ...wasm.repeatWhile(
        kind === 'binary' ? signDistance(bytes) : integerProduct(bytes),
        score,
        [...get(SCORE), ...get(THRESHOLD), ...wasm.f32Ge],
        wasm.when(keep),
        advance(CODES, bytes + 4),
        advance(PLACE, 1),
        [...get(PLACE), ...get(END), ...wasm.i32LtU],
      ),
      ...[...get(NEXT_MATCH), ...get(MATCHES), ...wasm.i32Sub],
    ],
  });

  function advance(local: number, by: number): Code {
    return [...get(local), ...i32Const(by), ...wasm.i32Add, ...set(local)];
  }
}

/**
 * SUM = Σⱼ 2ʲ · (signs of the code that differ from those of the query's j-th plane). A byte counts up to 8 · 15 = 120
 * for each load, so the counts of two fit one byte.
 */
function signDistance(bytes: number): Code {
  const { get, set, i32Const, v128Load, v128Load64Zero } = wasm;
  const loads = Array.from({ length: Math.ceil(bytes / 16) }, (_, i) => {
    const load = 16 * i + 16 <= bytes ? v128Load : v128Load64Zero;
    const planes = Array.from({ length: QUERY_PLANES }, (__, plane) => [
      ...[...get(CODES), ...load(16 * i), ...i32Const(0), ...load(QUERY_AT + plane * bytes + 16 * i)],
      ...[...wasm.v128Xor, ...wasm.i8x16Popcnt],
      ...(plane === 0 ? [] : [...i32Const(plane), ...wasm.i8x16Shl, ...wasm.i8x16Add]),
    ]);
    const isFirst = i % 2 === 0;
    const widened = [...get(BYTES), ...wasm.i16x8ExtaddPairwiseU8, ...wasm.i32x4ExtaddPairwiseU16];
    const isEnd = !isFirst || 16 * (i + 1) >= bytes;
    return [
      ...planes.flat(),
      ...(isFirst ? [] : [...get(BYTES), ...wasm.i8x16Add]),
      ...set(BYTES),
      ...(isEnd ? [...get(SUM), ...widened, ...wasm.i32x4Add, ...set(SUM)] : []),
    ];
  });
  return [...wasm.v128Zero, ...set(SUM), ...loads.flat()];
}

/** SUM = the inner product of the code with the query, whose components are 16 bits wide. */
function integerProduct(bytes: number): Code {
  const { get, set, i32Const, v128Load, i16x8Load8x8 } = wasm;
  const products = Array.from({ length: bytes / 8 }, (_, i) => [
    ...[...get(CODES), ...i16x8Load8x8(8 * i), ...i32Const(0), ...v128Load(QUERY_AT + 16 * i)],
    ...[...wasm.i32x4DotI16x8, ...get(SUM), ...wasm.i32x4Add, ...set(SUM)],
  ]);
  return [...wasm.v128Zero, ...set(SUM), ...products.flat()];
}
