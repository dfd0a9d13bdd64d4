/** What is used of it: its types come with those of browsers only. */
declare const WebAssembly: {
  Memory: new (size: { initial: number; maximum: number }) => WasmMemory;
  Module: new (code: Uint8Array<ArrayBuffer>) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

/** The memory that functions work on. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer;
}

const PAGE = 65_536;

/** A memory of so many bytes, zeros. */
export function wasmMemory(bytes: number): WasmMemory {
  const pages = Math.ceil(bytes / PAGE);
  return new WebAssembly.Memory({ initial: pages, maximum: pages });
}

/** A function that was translated, to be bound to any number of memories. */
export interface WasmProgram {
  on(memory: WasmMemory): (...numbers: number[]) => number;
}

export function wasmProgram(definition: WasmFunction): WasmProgram {
  const module = new WebAssembly.Module(wasmModule(definition));
  return {
    on(memory) {
      const { exports } = new WebAssembly.Instance(module, { env: { memory } });
      return exports[definition.name] as (...numbers: number[]) => number;
    },
  };
}

/** Bytes of WebAssembly code. */
export type Code = readonly number[];

const TYPES = { i32: 0x7f, f32: 0x7d, v128: 0x7b } as const;
export type WasmType = keyof typeof TYPES;

/** An unsigned number as WebAssembly writes it, seven bits a byte (LEB128). */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest > 0 ? low | 0x80 : low);
  } while (rest > 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value | 0; ; ) {
    const low = rest & 0x7f;
    rest >>= 7;
    const isLast = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(isLast ? low : low | 0x80);
    if (isLast) return bytes;
  }
}

/** Vector instructions have a prefix and a number of their own. */
const simd = (opcode: number, ...rest: number[]): number[] => [0xfd, ...unsigned(opcode), ...rest];
/** Nothing is said about alignment, which costs nothing on today's processors. */
const at = (offset: number): number[] => [0, ...unsigned(offset)];

/** The instructions that kernels are written with, by their names in the specification. */
export const wasm = {
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  i32Const: (value: number) => [0x41, ...signed(value)],
  i32Add: [0x6a],
  i32Sub: [0x6b],
  i32And: [0x71],
  i32Shl: [0x74],
  i32ShrU: [0x76],
  i32LtU: [0x49],
  i32Load: (offset: number) => [0x28, ...at(offset)],
  i32Load8U: (offset: number) => [0x2d, ...at(offset)],
  i32Store: (offset: number) => [0x36, ...at(offset)],
  i32Store8: (offset: number) => [0x3a, ...at(offset)],
  f32Const: (value: number) => [0x43, ...new Uint8Array(Float32Array.of(value).buffer)],
  f32Load: (offset: number) => [0x2a, ...at(offset)],
  f32Store: (offset: number) => [0x38, ...at(offset)],
  f32Add: [0x92],
  f32Mul: [0x94],
  f32Min: [0x96],
  f32Lt: [0x5d],
  f32Ge: [0x60],
  f32ConvertI32: [0xb2],
  v128Load: (offset: number) => simd(0, ...at(offset)),
  v128Load16Splat: (offset: number) => simd(8, ...at(offset)),
  v128Load32Splat: (offset: number) => simd(9, ...at(offset)),
  v128Store: (offset: number) => simd(11, ...at(offset)),
  i16x8Load8x8: (offset: number) => simd(1, ...at(offset)),
  v128Load64Zero: (offset: number) => simd(93, ...at(offset)),
  v128Zero: simd(12, ...new Array<number>(16).fill(0)),
  /** Four numbers of 32 bits. */
  i32x4Const: (...numbers: [number, number, number, number]) =>
    simd(12, ...new Uint8Array(Int32Array.from(numbers).buffer)),
  v128Xor: simd(81),
  /** Of the first where the third has ones, of the second elsewhere. */
  v128Bitselect: simd(82),
  i8x16Popcnt: simd(98),
  i8x16Shl: simd(107),
  i8x16Add: simd(110),
  i16x8ExtaddPairwiseU8: simd(125),
  i16x8Q15MulrSat: simd(130),
  i16x8NarrowI32x4: simd(133),
  i16x8AddSat: simd(143),
  i16x8Max: simd(152),
  i32x4ExtaddPairwiseI16: simd(126),
  i32x4ExtaddPairwiseU16: simd(127),
  i32x4Add: simd(174),
  i32x4DotI16x8: simd(186),
  i32x4ExtractLane: (lane: number) => simd(27, lane),
  i32x4TruncSatF32x4: simd(248),
  f32x4ExtractLane: (lane: number) => simd(31, lane),
  f32x4Splat: simd(19),
  f32x4Lt: simd(67),
  f32x4Nearest: simd(106),
  f32x4Add: simd(228),
  f32x4Sub: simd(229),
  f32x4Mul: simd(230),
  f32x4Min: simd(232),
  /** Repeats its body as long as that leaves another number than 0. */
  repeatWhile: (...body: Code[]) => [0x03, 0x40, ...body.flat(), 0x0d, 0, 0x0b],
  when: (...body: Code[]) => [0x04, 0x40, ...body.flat(), 0x0b],
  /** The first where the third is not 0, else the second. */
  select: [0x1b],
} as const;

export interface WasmFunction {
  name: string;
  parameters: readonly WasmType[];
  result: WasmType;
  /** Their numbers follow those of the parameters. */
  locals: readonly WasmType[];
  body: Code;
}

/** A module of one exported function over a memory that is imported as `env.memory`. */
function wasmModule({ name, parameters, result, locals, body }: WasmFunction): Uint8Array<ArrayBuffer> {
  const vector = (items: readonly Code[]): number[] => [...unsigned(items.length), ...items.flat()];
  const section = (id: number, content: Code): number[] => [id, ...unsigned(content.length), ...content];
  const text = (value: string): number[] => [...unsigned(value.length), ...Buffer.from(value)];
  const types = (names: readonly WasmType[]): number[] => vector(names.map((type) => [TYPES[type]]));
  const code = [...vector(locals.map((type) => [1, TYPES[type]])), ...body, 0x0b];
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector([[0x60, ...types(parameters), ...types([result])]])),
    ...section(2, vector([[...text('env'), ...text('memory'), 0x02, 0x00, 0x01]])),
    ...section(3, vector([[0]])),
    ...section(7, vector([[...text(name), 0x00, 0x00]])),
    ...section(10, vector([[...unsigned(code.length), ...code]])),
  ]);
}
