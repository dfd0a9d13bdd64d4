import { emitOnnx, Graph, matmul, Session, type SessionOptions } from '../../src/engine/index.js';

const SIZE = 1024;
/** Products in one timed run: one takes too short to time. */
const REPEATS = 8;

export interface Work {
  run(): Promise<unknown>;
  /** Floating-point operations of one run. */
  flops: number;
}

/** A plain 1024³ matrix product: what the machine's cores can do at best. */
export async function gemmWork(session: SessionOptions): Promise<Work> {
  const graph = new Graph();
  const [a, b] = ['a', 'b'].map((name) => graph.input(name, [SIZE, SIZE]));
  const compiled = await Session.create(emitOnnx(graph, { outputs: { c: matmul(a, b) } }), session);
  const matrix = { shape: [SIZE, SIZE], data: new Float32Array(SIZE * SIZE).fill(0.5) };
  const into = { c: { shape: [SIZE, SIZE], data: new Float32Array(SIZE * SIZE) } };
  return {
    async run() {
      for (let i = 0; i < REPEATS; i++) await compiled.run({ a: matrix, b: matrix }, { into });
    },
    flops: REPEATS * 2 * SIZE ** 3,
  };
}
