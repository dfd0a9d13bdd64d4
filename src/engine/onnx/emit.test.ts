import { expect, test } from 'vitest';
import { Graph, type Value } from '../graph.js';
import { add, attention, gelu, linear, matmul } from '../ops/index.js';
import { Session } from '../session.js';
import { emitOnnx } from './emit.js';
import { messages, readFields, text } from './protobuf.fixture.js';

const GRAPH = 7;
const [NODE, INITIALIZER, INPUT] = [1, 5, 11];

function parts(model: Uint8Array): { nodes: Uint8Array[]; inputs: string[]; initializers: string[] } {
  const [graph] = messages(model, GRAPH);
  return {
    nodes: messages(graph, NODE),
    inputs: messages(graph, INPUT).map((input) => text(input, 1)),
    initializers: messages(graph, INITIALIZER).map((tensor) => text(tensor, 8)),
  };
}

function example(): { graph: Graph; y: Value; other: Value } {
  const graph = new Graph();
  const x = graph.input('x', ['batch', 2]);
  const unused = graph.input('unused', ['batch', 2]);
  const y = linear(x, graph.parameter('w', [3, 2]), graph.parameter('b', [3]));
  return { graph, y, other: add(unused, graph.parameter('unusedParameter', [2])) };
}

test('only what leads to the outputs is written', () => {
  const { graph, y, other } = example();
  const { inputs, nodes } = parts(emitOnnx(graph, { outputs: { y } }));
  expect(inputs.toSorted()).toEqual(['b', 'w', 'x']);
  expect(nodes.map((node) => text(node, 4))).toEqual(['Gemm', 'Identity']);
  expect(parts(emitOnnx(graph, { outputs: { y, other } })).inputs).toContain('unused');
});

test('baked weights are no inputs, and give the same result as fed ones', async () => {
  const { graph, y } = example();
  const data: Record<string, Float32Array> = {
    w: Float32Array.of(1, 2, 3, 4, 5, 6),
    b: Float32Array.of(0.5, 0, -0.5),
  };
  const baked = emitOnnx(graph, { outputs: { y }, weights: (name) => data[name] });
  const { inputs, initializers } = parts(baked);
  expect(inputs).toEqual(['x']);
  expect(initializers).toEqual(expect.arrayContaining(['w', 'b']));
  const x = { shape: [1, 2], data: Float32Array.of(1, -1) };
  const fromBaked = await (await Session.create(baked)).run({ x });
  const fed = await (await Session.create(emitOnnx(graph, { outputs: { y } }))).run({
    x,
    w: { shape: [3, 2], data: data.w },
    b: { shape: [3], data: data.b },
  });
  expect(fromBaked.y.data).toEqual(Float32Array.of(-0.5, -1, -1.5));
  expect(fed.y).toEqual(fromBaked.y);
});

test("a portable model has standard operators only; ours uses the runtime's own", () => {
  const graph = new Graph();
  const [query, key, value] = ['q', 'k', 'v'].map((name) => graph.input(name, ['batch', 2, 'length', 4]));
  const bias = graph.input('bias', ['batch', 1, 1, 'length']);
  const context = attention({ query, key, value, bias }, { scale: 0.5 });
  const outputs = { y: gelu(matmul(context, context, { transposeB: true })) };
  const domains = (model: Uint8Array): string[] =>
    messages(model, GRAPH)
      .flatMap((content) => messages(content, NODE))
      .filter((node) => messages(node, 7).length > 0)
      .map((node) => text(node, 7));
  const imports = (model: Uint8Array): string[] => messages(model, 8).map((opset) => text(opset, 1));
  const portable = emitOnnx(graph, { outputs, portable: true });
  expect(domains(portable)).toEqual([]);
  expect(imports(portable)).toEqual(['']);
  const own = emitOnnx(graph, { outputs });
  expect(new Set(domains(own))).toEqual(new Set(['com.microsoft']));
  expect(imports(own)).toEqual(['', 'com.microsoft']);
  expect(readFields(portable)[0]).toEqual({ field: 1, value: 9n });
});
