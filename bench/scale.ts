// Indexes side by side on the same vectors: how long they take to build, what memory and disk they need, what they find and how
// fast. One JSON line a system, each built and searched in a process of its own. Vectors are clustered unit vectors, made from a seed and
// streamed to a file, or those of --vectors and --queries (.npy, as "nearmiss encode" writes them).
// npm run bench:scale -- [--sizes 100000,1000000] [--dim 64] [--systems int8,int8-disk,binary,usearch-i8,qdrant-int8]
// `buildCpuSeconds` and `cpuMs` (a query) are processor time of this process, which other work on the machine does not change. `peakRssMb` is the
// memory of the process that has the index: of Qdrant the server's, whose clients' is `clientRssMb`.
// npm run bench:scale -- --vectors glosses.npy --queries words.npy
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VectorFile } from '../src/model/index.js';
import { writeClustered } from './scale/clustered.js';
import { measureSystem, SYSTEMS, type SystemName } from './scale/systems.js';
import { exactTop } from './scale/truth.js';

const K = 10;
const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '100000' },
    dim: { type: 'string', default: '64' },
    'cluster-size': { type: 'string', default: '1000' },
    count: { type: 'string', default: '256' },
    systems: { type: 'string', default: Object.keys(SYSTEMS).join(',') },
    vectors: { type: 'string' },
    queries: { type: 'string' },
    folder: { type: 'string' },
    seconds: { type: 'string', default: '10' },
    step: { type: 'string' },
  },
});
if (values.step !== undefined) {
  const [system, step] = values.step.split(' ') as [SystemName, 'build' | 'search'];
  const { vectors, queries, folder } = values as Record<string, string>;
  const options = { vectors, queries, folder, k: K, seconds: Number(values.seconds) };
  console.log(JSON.stringify(await measureSystem(system, step, options)));
} else {
  const folder = values.folder ?? mkdtempSync(join(tmpdir(), 'nearmiss-scale-'));
  mkdirSync(folder, { recursive: true });
  try {
    const given = values.vectors !== undefined;
    for (const size of given ? [0] : values.sizes.split(',').map(Number)) await benchSize(folder, size);
  } finally {
    if (values.folder === undefined) rmSync(folder, { recursive: true });
  }
}

async function benchSize(folder: string, size: number): Promise<void> {
  const made = join(folder, `${size}x${values.dim}`);
  const [vectors, queries] = [values.vectors ?? `${made}.f32.npy`, values.queries ?? `${made}.queries.npy`];
  if (!existsSync(vectors)) {
    const clustered = {
      dimension: Number(values.dim),
      clusters: Math.ceil(size / Number(values['cluster-size'])),
      seed: 42,
    };
    await writeClustered(vectors, { ...clustered, count: size, part: 'vectors' });
    await writeClustered(queries, { ...clustered, count: Number(values.count), part: 'queries' });
  }
  const truthPath = join(folder, `truth-${size}x${values.dim}.json`);
  if (!existsSync(truthPath)) writeFileSync(truthPath, JSON.stringify(await exactTop(vectors, queries, K)));
  const truth = JSON.parse(readFileSync(truthPath, 'utf8')) as number[][];
  const file = await VectorFile.open(vectors);
  const { rows, dimension } = file;
  await file.close();
  for (const system of values.systems.split(',')) {
    const index = join(folder, `index-${system}`);
    rmSync(index, { recursive: true, force: true });
    const run = <T>(step: string): T => {
      const args = [
        '--step',
        `${system} ${step}`,
        '--vectors',
        vectors,
        '--queries',
        queries,
        '--folder',
        index,
        '--seconds',
        values.seconds,
      ];
      return JSON.parse(
        execFileSync(process.execPath, [...process.execArgv, import.meta.filename, ...args], {
          stdio: ['ignore', 'pipe', 'inherit'],
          maxBuffer: 2 ** 28,
        }).toString(),
      );
    };
    const build = run<Memory & Record<'seconds' | 'cpuSeconds', number>>('build');
    const { ids, ...search } = run<Memory & Record<'qps' | 'cpuMs' | 'oneMs', number> & { ids: number[][] }>(
      'search',
    );
    const found = truth.map((wanted, i) => wanted.filter((id) => ids[i].includes(id)).length);
    console.log(
      JSON.stringify({
        system,
        vectors: rows,
        dim: dimension,
        buildSeconds: build.seconds,
        buildCpuSeconds: build.cpuSeconds,
        ...memoryOf(build, search),
        diskMb: Math.round(folderBytes(index) / 1e6),
        recallAt10: Number((found.reduce((sum, n) => sum + n, 0) / (K * truth.length)).toFixed(4)),
        qps: search.qps,
        cpuMs: search.cpuMs,
        oneMs: search.oneMs,
      }),
    );
    rmSync(index, { recursive: true, force: true });
  }
}

interface Memory {
  peakRssMb: number;
  serverRssMb?: number;
}

function memoryOf(build: Memory, search: Memory): Record<string, number> {
  const most = ({ peakRssMb, serverRssMb = peakRssMb }: Memory): number => serverRssMb;
  return {
    buildRssMb: most(build),
    searchRssMb: most(search),
    peakRssMb: Math.max(most(build), most(search)),
    ...(build.serverRssMb !== undefined && { clientRssMb: Math.max(build.peakRssMb, search.peakRssMb) }),
  };
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
