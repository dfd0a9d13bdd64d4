import { readFile, stat, statfs } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, availableParallelism, cpus, freemem, platform, totalmem } from 'node:os';
import { requireWritable } from '../base/folders/writable.js';

/** `warn` works with less speed or room; `fail` does not work. */
export type CheckState = 'ok' | 'warn' | 'fail';

export interface Check {
  name: string;
  state: CheckState;
  /** What was found. */
  found: string;
  /** What to do about it. */
  hint?: string;
}

const NEEDED_NODE = [20, 19] as const;
const GIB = 2 ** 30;
/** The laptop recipes' peak (docs/operations.md). */
const COMFORTABLE_MEMORY = 4 * GIB;
const LEAST_MEMORY = 1.5 * GIB;
const COMFORTABLE_DISK = 2 * GIB;
/** What ONNX Runtime's matrix products are written for, best first. */
const VECTOR_FLAGS = ['avx512f', 'avx2', 'asimd', 'avx'];

/** Looks at everything an installation needs, and at what makes it slow. */
export async function examine(folder: string): Promise<Check[]> {
  const place = await checkPlace(folder);
  return Promise.all([
    checkNode(process.versions.node),
    checkProcessor(),
    checkMemory(totalmem(), await availableMemory()),
    ...place,
    checkEngine(),
    checkGraphIndex(),
    checkModel(),
  ]);
}

export function checkNode(version: string): Check {
  const [major, minor] = version.split('.').map(Number);
  const enough = major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
  return {
    name: 'Node.js',
    state: enough ? 'ok' : 'fail',
    found: `v${version}`,
    ...(!enough && { hint: `install Node.js ${NEEDED_NODE.join('.')} or newer` }),
  };
}

async function checkProcessor(): Promise<Check> {
  const threads = availableParallelism();
  const [model] = cpus();
  const info = await readFile('/proc/cpuinfo', 'utf8').catch(() => '');
  const flag = VECTOR_FLAGS.find((name) => new RegExp(`\\b${name}\\b`).test(info));
  const found = `${model?.model.trim() ?? arch()}, ${threads} threads${flag ? `, ${flag}` : ''} (${platform()} ${arch()})`;
  if (threads > 1) return { name: 'processor', state: 'ok', found };
  return {
    name: 'processor',
    state: 'warn',
    found,
    hint: 'Trainer and Inferencer share one core: use --set refresh.mode=lockstep',
  };
}

export function checkMemory(total: number, available: number): Check {
  const found = `${gib(available)} of ${gib(total)} available`;
  if (available >= COMFORTABLE_MEMORY) return { name: 'memory', state: 'ok', found };
  const state = available >= LEAST_MEMORY ? 'warn' : 'fail';
  const hint = 'train with smaller batches: --set batch.queries=8, or --set batch.cacheTokens=2048';
  return { name: 'memory', state, found, hint };
}

/** What the system could give, caches included; `freemem` leaves those out on Linux. */
async function availableMemory(): Promise<number> {
  const info = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const available = /^MemAvailable:\s+(\d+) kB/m.exec(info);
  return available ? Number(available[1]) * 1024 : freemem();
}

/** Disk and write access of a folder, or why there are none. */
async function checkPlace(folder: string): Promise<Check[]> {
  const info = await stat(folder).catch((error: Error) => error);
  if (!(info instanceof Error) && info.isDirectory())
    return [await checkDisk(folder), await checkWriting(folder)];
  const found = info instanceof Error ? info.message : `${folder}: expected a folder, got a file`;
  return [
    { name: 'folder', state: 'fail', found, hint: 'name a folder that exists, where runs are to be kept' },
  ];
}

async function checkDisk(folder: string): Promise<Check> {
  try {
    const { bavail, bsize } = await statfs(folder);
    const free = bavail * bsize;
    const enough = free >= COMFORTABLE_DISK;
    return {
      name: 'disk',
      state: enough ? 'ok' : 'warn',
      found: `${gib(free)} free in ${folder}`,
      ...(!enough && {
        hint: 'a run of MiniLM keeps about 0.5 GB of checkpoints; name another disk with --out',
      }),
    };
  } catch (error) {
    return {
      name: 'disk',
      state: 'fail',
      found: (error as Error).message,
      hint: 'name a folder that exists',
    };
  }
}

async function checkWriting(folder: string): Promise<Check> {
  const hint = 'go to a folder you may write to, or name one with --out';
  try {
    await requireWritable(folder, hint);
    return { name: 'write access', state: 'ok', found: folder };
  } catch (error) {
    return { name: 'write access', state: 'fail', found: (error as Error).message, hint };
  }
}

/** Multiplies two matrices, because a library that loads may still fail to compute. */
async function checkEngine(): Promise<Check> {
  return checkPart('ONNX Runtime', async () => {
    const { emitOnnx, executionProviders, Graph, matmul, Session } = await import('../engine/index.js');
    const graph = new Graph();
    const a = graph.input('a', [2, 2]);
    const session = await Session.create(emitOnnx(graph, { outputs: { product: matmul(a, a) } }));
    const { product } = await session.run({ a: { shape: [2, 2], data: Float32Array.of(1, 1, 0, 1) } });
    await session.release();
    if ([...product.data].join() !== '1,2,0,1') throw new Error(`a matrix product gave ${[...product.data]}`);
    return `${versionOf('onnxruntime-node')}, providers: ${executionProviders().join(', ')}`;
  });
}

async function checkGraphIndex(): Promise<Check> {
  return checkPart('usearch', async () => {
    const { createVectorIndex } = await import('../index/vectors/index.js');
    const builder = createVectorIndex({ type: 'hnsw', dimension: 2 });
    await builder.add(Float32Array.of(1, 0, 0, 1));
    const index = await builder.finish();
    const { ids } = await index.search(Float32Array.of(0, 1), { k: 1 });
    await index.close();
    if (ids[0] !== 1) throw new Error(`the nearest of two vectors was given as ${ids[0]}`);
    return 'finds the nearer of two vectors';
  });
}

/** Loads the tokenizer, too. */
async function checkModel(): Promise<Check> {
  return checkPart('minilm', async () => {
    const { loadEncoderModel } = await import('../model/index.js');
    const model = await loadEncoderModel('minilm', { layers: 1 });
    return `all-MiniLM-L6-v2, ${model.spec.config.hiddenSize} dimensions, inside the package`;
  });
}

async function checkPart(name: string, find: () => Promise<string>): Promise<Check> {
  try {
    return { name, state: 'ok', found: await find() };
  } catch (error) {
    return {
      name,
      state: 'fail',
      found: (error as Error).message,
      hint: 'install again with `npm ci`; prebuilt libraries are for Linux, macOS and Windows on x64 and arm64',
    };
  }
}

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  return require(`${name}/package.json`).version;
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
