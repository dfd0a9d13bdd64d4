import { type Code, type WasmProgram, wasm, wasmMemory, wasmProgram } from '../wasm-module.js';

/** Codewords of a group: one byte says which. */
export const WORDS = 256;
/** Codewords compared at once. */
const LANES = 4;
/** Rows whose codewords are found at once. */
const ROWS = 256;
const VECTOR = 16;

/**
 * Finds the codeword nearest to each group of a row's numbers, in WebAssembly: 128 numbers in 32 groups are 32 times 256
 * comparisons a row.
 */
export class CodewordFinder {
  readonly #groups: number;
  readonly #dimension: number;
  readonly #rows: Float32Array;
  readonly #places: Uint8Array;
  readonly #finds: ((rows: number) => void)[];

  /**
   * @param codewords group after group, 256 of as many numbers as the group has
   * @param sizes how many numbers each group has
   */
  constructor(codewords: Float32Array, sizes: Uint32Array) {
    const dimension = sizes.reduce((sum, size) => sum + size, 0);
    this.#groups = sizes.length;
    this.#dimension = dimension;
    const wordBytes = (size: number): number => (WORDS / LANES) * (1 + size) * VECTOR;
    const rowsAt = sizes.reduce((sum, size) => sum + wordBytes(size), 0);
    const placesAt = rowsAt + ROWS * dimension * 4;
    const memory = wasmMemory(placesAt + ROWS * sizes.length);
    this.#rows = new Float32Array(memory.buffer, rowsAt, ROWS * dimension);
    this.#places = new Uint8Array(memory.buffer, placesAt, ROWS * sizes.length);
    let [wordsAt, first] = [0, 0];
    this.#finds = Array.from(sizes, (size, group) => {
      const own = codewords.subarray(first * WORDS, (first + size) * WORDS);
      layWords(own, size, new Float32Array(memory.buffer, wordsAt, wordBytes(size) / 4));
      const find = programFor(size).on(memory);
      const places = [rowsAt + first * 4, placesAt + group, wordsAt];
      wordsAt += wordBytes(size);
      first += size;
      return (rows) => void find(...places, rows, dimension * 4, sizes.length);
    });
  }

  /** @param target gets the place of a codeword for every group of every row */
  find(rows: Float32Array, target: Uint8Array): void {
    const count = rows.length / this.#dimension;
    for (let first = 0; first < count; first += ROWS) {
      const end = Math.min(count, first + ROWS);
      this.#rows.set(rows.subarray(first * this.#dimension, end * this.#dimension));
      for (const find of this.#finds) find(end - first);
      target.set(this.#places.subarray(0, (end - first) * this.#groups), first * this.#groups);
    }
  }
}

/** Four codewords at a time: half their squared lengths, then their first numbers, their second ones, … */
function layWords(codewords: Float32Array, size: number, target: Float32Array): void {
  let at = 0;
  for (let first = 0; first < codewords.length / size; first += LANES) {
    for (let lane = 0; lane < LANES; lane++) {
      let squares = 0;
      for (let i = 0; i < size; i++) {
        const value = codewords[(first + lane) * size + i];
        squares += value * value;
        target[at + (i + 1) * LANES + lane] = value;
      }
      target[at + lane] = squares / 2;
    }
    at += (1 + size) * LANES;
  }
}

const programs = new Map<number, WasmProgram>();

function programFor(size: number): WasmProgram {
  const program = programs.get(size) ?? findProgram(size);
  programs.set(size, program);
  return program;
}

// Parameters and locals of the function, by number.
const [ROW, PLACE, WORDS_AT, COUNT, ROW_STEP, PLACE_STEP, WORD, FOUND] = [0, 1, 2, 3, 4, 5, 6, 7];
const [LEAST, DISTANCE, BEST, FOUND_LANES, INDEX] = [8, 9, 10, 11, 12];
const NUMBERS = 13;

/** ½‖w‖² − x·w is least where w is nearest to x. */
function findProgram(size: number): WasmProgram {
  const { get, set, i32Const } = wasm;
  const numbers = Array.from({ length: size }, (_, i) => i);
  const advance = (local: number, by: Code): Code => [...get(local), ...by, ...wasm.i32Add, ...set(local)];
  const compareFour = [
    ...[...get(WORD), ...wasm.v128Load(0)],
    ...numbers.flatMap((i) => [
      ...[...get(NUMBERS + i), ...get(WORD), ...wasm.v128Load((i + 1) * VECTOR)],
      ...[...wasm.f32x4Mul, ...wasm.f32x4Sub],
    ]),
    ...set(DISTANCE),
    // Where it is nearer, its number takes the place of the one that was.
    ...[...get(INDEX), ...get(FOUND_LANES), ...get(DISTANCE), ...get(BEST), ...wasm.f32x4Lt],
    ...[...wasm.v128Bitselect, ...set(FOUND_LANES)],
    ...[...get(DISTANCE), ...get(BEST), ...wasm.f32x4Min, ...set(BEST)],
    ...[...get(INDEX), ...wasm.i32x4Const(LANES, LANES, LANES, LANES), ...wasm.i32x4Add, ...set(INDEX)],
    ...advance(WORD, i32Const((1 + size) * VECTOR)),
  ];
  const nearestLane = [
    ...[...get(BEST), ...wasm.f32x4ExtractLane(0), ...set(LEAST)],
    ...[...get(FOUND_LANES), ...wasm.i32x4ExtractLane(0), ...set(FOUND)],
    ...[1, 2, 3].flatMap((lane) => [
      ...[...get(FOUND_LANES), ...wasm.i32x4ExtractLane(lane), ...get(FOUND)],
      ...[...get(BEST), ...wasm.f32x4ExtractLane(lane), ...get(LEAST), ...wasm.f32Lt],
      ...[...wasm.select, ...set(FOUND)],
      ...[...get(BEST), ...wasm.f32x4ExtractLane(lane), ...get(LEAST), ...wasm.f32Min, ...set(LEAST)],
    ]),
  ];
  const oneRow = [
    ...[...get(WORDS_AT), ...set(WORD)],
    ...numbers.flatMap((i) => [...get(ROW), ...wasm.v128Load32Splat(4 * i), ...set(NUMBERS + i)]),
    ...[...wasm.f32Const(Number.POSITIVE_INFINITY), ...wasm.f32x4Splat, ...set(BEST)],
    ...[...wasm.i32x4Const(0, 1, 2, 3), ...set(INDEX)],
    ...[...wasm.i32x4Const(0, 0, 0, 0), ...set(FOUND_LANES)],
    ...wasm.repeatWhile(
      compareFour,
      [...get(INDEX), ...wasm.i32x4ExtractLane(0)],
      [...i32Const(WORDS), ...wasm.i32LtU],
    ),
    ...nearestLane,
    ...[...get(PLACE), ...get(FOUND), ...wasm.i32Store8(0)],
    ...advance(PLACE, get(PLACE_STEP)),
    ...advance(ROW, get(ROW_STEP)),
    ...advance(COUNT, i32Const(-1)),
  ];
  return wasmProgram({
    name: 'find',
    parameters: ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'],
    result: 'i32',
    locals: ['i32', 'i32', 'f32', ...new Array<'v128'>(4 + size).fill('v128')],
    body: [...wasm.repeatWhile(oneRow, get(COUNT)), ...i32Const(0)],
  });
}
