// Indexes side by side on the same vectors: how long they take to build, what memory and disk they need, what they find and how
// fast. One JSON line a system, each built and searched in a process of its own. Vectors are clustered unit vectors, made from a seed and
// streamed to a file, or those of --vectors and --queries (.npy, as "nearmiss encode" writes them).
// npm run bench:scale -- [--sizes 100000,1000000] [--dim 64] [--systems int8,int8-disk,binary,usearch-i8,qdrant-int8]
//   [--connectivity 16] [--expansion-add 128] [--expansion-search 64]   of all graphs alike; else each system's own defaults
//   [--minutes 15]      of a system's build, and of its search: one that takes longer is stopped, and its line says so
//   [--out lines.jsonl] also gets each line as soon as it is there
//   [--folder DIR]      keeps vectors, queries and their true neighbours for the next time; `--systems ''` only makes these
// `buildCpuSeconds` and `cpuMs` (a query) are processor time, of a server too, which other work on the machine changes least. `peakRssMb` is the
// memory of the process that has the index, with the pages of files that it has mapped, and `anonymousMb` without: of Qdrant the server's, whose
// clients' is `clientRssMb`.
// npm run bench:scale -- --vectors glosses.npy --queries words.npy
import {
  appendFileSync,
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
import { runStep } from './scale/step.js';
import { GRAPHS, type GraphEffort, measureSystem, SYSTEMS, type SystemName } from './scale/systems.js';
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
    minutes: { type: 'string', default: '60' },
    out: { type: 'string' },
    connectivity: { type: 'string' },
    'expansion-add': { type: 'string' },
    'expansion-search': { type: 'string' },
    step: { type: 'string' },
  },
});
const number = (value: string | undefined): number | undefined =>
  value === undefined ? undefined : Number(value);
const effort: GraphEffort = {
  connectivity: number(values.connectivity),
  expansionAdd: number(values['expansion-add']),
  expansionSearch: number(values['expansion-search']),
};
if (values.step !== undefined) {
  const [system, step] = values.step.split(' ') as [SystemName, 'build' | 'search'];
  const { vectors, queries, folder } = values as Record<string, string>;
  const options = { vectors, queries, folder, k: K, seconds: Number(values.seconds), effort };
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
  const file = await VectorFile.open(vectors);
  const { rows, dimension } = file;
  await file.close();
  for (const system of values.systems.split(',').filter(Boolean)) {
    const index = join(folder, `index-${system}`);
    rmSync(index, { recursive: true, force: true });
    const options = { vectors, queries, folder: index, seconds: values.seconds };
    const line = await measureInSteps(system, options, readTruth(truthPath));
    const text = JSON.stringify({
      ...{ system, vectors: rows, dim: dimension },
      ...(GRAPHS.includes(system) && effort),
      ...line,
    });
    console.log(text);
    if (values.out !== undefined) appendFileSync(values.out, `${text}\n`);
    rmSync(index, { recursive: true, force: true });
  }
}

type Build = Memory & Record<'seconds' | 'cpuSeconds', number>;
type Search = Memory & Record<'qps' | 'cpuMs' | 'oneMs', number> & { ids: number[][] };

/** Builds and searches, each in a process of its own; what was not done in time is said. */
async function measureInSteps(
  system: string,
  options: Record<'vectors' | 'queries' | 'folder' | 'seconds', string>,
  truth: readonly number[][],
): Promise<Record<string, unknown>> {
  const given = Object.entries({
    ...options,
    connectivity: values.connectivity,
    'expansion-add': values['expansion-add'],
    'expansion-search': values['expansion-search'],
  }).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value]));
  const run = <T>(step: 'build' | 'search') =>
    runStep<T>([import.meta.filename, '--step', `${system} ${step}`, ...given], 60 * Number(values.minutes));
  const { result: build, ...building } = await run<Build>('build');
  if (!build) return { anonymousMb: building.anonymousMb, stopped: stopped('build', building) };
  const built = { buildSeconds: build.seconds, buildCpuSeconds: build.cpuSeconds };
  const diskMb = Math.round(folderBytes(options.folder) / 1e6);
  const { result: search, ...searching } = await run<Search>('search');
  const anonymousMb = Math.max(building.anonymousMb, searching.anonymousMb);
  if (!search) return { ...built, anonymousMb, diskMb, stopped: stopped('search', searching) };
  const found = truth.map((wanted, i) => wanted.filter((id) => search.ids[i].includes(id)).length);
  return {
    ...built,
    ...memoryOf(build, search),
    anonymousMb,
    diskMb,
    recallAt10: Number((found.reduce((sum, n) => sum + n, 0) / (K * truth.length)).toFixed(4)),
    qps: search.qps,
    cpuMs: search.cpuMs,
    oneMs: search.oneMs,
  };
}

function stopped(step: string, { seconds, cpuSeconds }: { seconds: number; cpuSeconds: number }): string {
  return `${step}, after ${seconds} s and ${cpuSeconds.toFixed(0)} s of processor time`;
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

function readTruth(path: string): number[][] {
  return JSON.parse(readFileSync(path, 'utf8'));
}

function folderBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
