import { expect, test } from 'vitest';
import { compile } from './compile.js';
import { Graph } from './graph.js';
import { emitOnnx } from './onnx/emit.js';
import { gelu, linear } from './ops/index.js';
import { fillNormal, ParameterStore } from './parameters.js';
import { randomKey } from './random.js';
import { Session } from './session.js';

const SPECS = [
  { name: 'unused', shape: [7] },
  { name: 'w', shape: [5, 3] },
  { name: 'b', shape: [5] },
];

function example() {
  const graph = new Graph();
  const x = graph.input('x', ['batch', 3]);
  graph.parameter('unused', [7]);
  const y = gelu(linear(x, graph.parameter('w', [5, 3]), graph.parameter('b', [5])));
  const parameters = new ParameterStore(SPECS);
  fillNormal(parameters.buffer, 0.5, randomKey(1));
  const feeds = { x: { shape: [2, 3], data: Float32Array.of(1, -1, 2, 0.5, 0, -3) } };
  return { graph, y, parameters, feeds };
}

test('gives what a model with the weights baked in gives', async () => {
  const { graph, y, parameters, feeds } = example();
  const compiled = await compile(graph, { outputs: { y }, parameters });
  expect(compiled.inputNames).toEqual(['x']);
  const baked = await Session.create(
    emitOnnx(graph, { outputs: { y }, weights: (name) => parameters.get(name) }),
  );
  expect(await compiled.run(feeds)).toEqual(await baked.run(feeds));
});

test('later changes of the parameters do not show', async () => {
  const { graph, y, parameters, feeds } = example();
  const session = await compile(graph, { outputs: { y }, parameters });
  const before = await session.run(feeds);
  parameters.buffer.fill(0);
  expect(await session.run(feeds)).toEqual(before);
  expect((await (await compile(graph, { outputs: { y }, parameters })).run(feeds)).y.data).toEqual(
    new Float32Array(10),
  );
});

test('a store that lacks a parameter is an error', async () => {
  const { graph, y } = example();
  const parameters = new ParameterStore([{ name: 'w', shape: [5, 3] }]);
  await expect(compile(graph, { outputs: { y }, parameters })).rejects.toThrow('No parameter is named b');
});
