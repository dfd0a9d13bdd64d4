import { emitOnnx, Graph, matmul, Session } from '../../engine/index.js';

const SIZE = 512;
const TRIES = 6;
let known: Promise<number> | undefined;

/** What a core of this machine multiplies and adds in a second: a matrix product is timed once, for some hundredths of a second. */
export function coreSpeed(): Promise<number> {
  known ??= timeProduct();
  return known;
}

async function timeProduct(): Promise<number> {
  const graph = new Graph();
  const [a, b] = ['a', 'b'].map((name) => graph.input(name, [SIZE, SIZE]));
  const session = await Session.create(emitOnnx(graph, { outputs: { c: matmul(a, b) } }), { threads: 1 });
  try {
    const matrix = { shape: [SIZE, SIZE], data: new Float32Array(SIZE * SIZE).fill(0.5) };
    const into = { c: { shape: [SIZE, SIZE], data: new Float32Array(SIZE * SIZE) } };
    let fastest = Number.POSITIVE_INFINITY;
    // The first is slow, and others may have the core while one is timed.
    for (let nth = 0; nth < TRIES; nth++) {
      const began = performance.now();
      await session.run({ a: matrix, b: matrix }, { into });
      fastest = Math.min(fastest, performance.now() - began);
    }
    return (2 * SIZE ** 3) / (fastest / 1000);
  } finally {
    await session.release();
  }
}
