import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const SCRIPT = `
  const { Graph, add, emitOnnx, Session } = await import(process.argv[1]);
  const graph = new Graph();
  const x = graph.input('x', [2]);
  const session = await Session.create(emitOnnx(graph, { outputs: { y: add(x, x) } }));
  const { y } = await session.run({ x: { shape: [2], data: Float32Array.of(1, 2) } });
  console.log([...y.data].join());
`;

/** Runs a session in a process of its own and gives what it left in its temporary folder. */
function traces(): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'nearmiss-telemetry-'));
  try {
    const { ORT_DISABLE_TELEMETRY: _, ...rest } = process.env;
    const env = { ...rest, TMPDIR: folder };
    const engine = resolve(import.meta.dirname, '../../dist/engine/index.js');
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', SCRIPT, engine], { env });
    expect(output.toString().trim()).toBe('2,4');
    return readdirSync(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test('running a model leaves no trace of telemetry', () => {
  expect(traces()).toEqual([]);
});
