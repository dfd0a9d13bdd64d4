import { expect, test } from 'vitest';
import { decodeFloat16 } from '../../base/numbers/float16.js';
import { Graph } from '../graph.js';
import { emitOnnx } from '../onnx/emit.js';
import { Session } from '../session.js';
import { toFloat } from './elementwise.js';

test('half-precision inputs widen to the same bits as our own table, for every finite pattern', async () => {
  const halves = Uint16Array.from({ length: 0x10000 }, (_, bits) => bits).filter(
    (bits) => (bits & 0x7c00) !== 0x7c00,
  );
  const graph = new Graph();
  const x = graph.input('x', ['count'], 'float16');
  const session = await Session.create(emitOnnx(graph, { outputs: { y: toFloat(x) } }));
  const { y } = await session.run({ x: { shape: [halves.length], data: halves } });
  await session.release();
  const expected = new Float32Array(halves.length);
  decodeFloat16(halves, expected);
  expect(Buffer.from(y.data.buffer).equals(Buffer.from(expected.buffer))).toBe(true);
});
