// Imports and validates 1 GB of JSON lines with the built CLI and prints the peak memory of each: one JSON line.
// Usage: npm run build && npm run bench:data [-- --megabytes 1024]
import { spawn } from 'node:child_process';
import { mkdtemp, open, rm, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../src/engine/random.js';

const { values } = parseArgs({
  options: { megabytes: { type: 'string', default: '1024' }, words: { type: 'string', default: '60' } },
});
const targetBytes = Number(values.megabytes) * 2 ** 20;
const cli = resolve(import.meta.dirname, '../dist/cli/main.js');

interface Run {
  seconds: number;
  peakRssMegabytes: number;
}

/** Runs the CLI and takes the peak that the kernel kept for the child (`ru_maxrss`, in kilobytes). */
async function runCli(args: string[]): Promise<Run> {
  const measure = `process.on('exit', () => process.stderr.write('peak ' + process.resourceUsage().maxRSS + '\\n'));`;
  const preload = `data:text/javascript,${encodeURIComponent(measure)}`;
  const start = performance.now();
  const child = spawn(process.execPath, ['--import', preload, cli, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const code = await new Promise((done) => child.on('close', done));
  const seconds = (performance.now() - start) / 1000;
  const peak = /^peak (\d+)$/m.exec(log)?.[1];
  if (code !== 0 || !peak) throw new Error(`nearmiss ${args.join(' ')} ended with ${code}:\n${log}`);
  return { seconds: Number(seconds.toFixed(1)), peakRssMegabytes: Math.round(Number(peak) / 1024) };
}

/** Documents of random words, about 400 bytes each, so that a gigabyte holds millions of ids. */
async function generate(path: string): Promise<number> {
  const random = Random.from(1, 'bench', 'data-memory');
  const vocabulary = Array.from({ length: 5000 }, () => random.bits().toString(36));
  const file = await open(path, 'w');
  let documents = 0;
  for (let written = 0; written < targetBytes; ) {
    const lines: string[] = [];
    for (let i = 0; i < 1000; i++) {
      const words = Array.from({ length: Number(values.words) }, () => vocabulary[random.integer(5000)]);
      const id = `document-${documents++}`;
      lines.push(JSON.stringify({ id, title: words.slice(0, 4).join(' '), text: words.join(' ') }));
    }
    const { bytesWritten } = await file.write(`${lines.join('\n')}\n`);
    written += bytesWritten;
  }
  await file.close();
  return documents;
}

const folder = await mkdtemp(join(tmpdir(), 'nearmiss-bench-'));
try {
  const disk = await statfs(folder);
  const free = disk.bavail * disk.bsize;
  if (free < targetBytes * 2.5)
    throw new Error(`not enough space in ${folder}: ${Math.round(free / 2 ** 20)} MB`);
  const source = join(folder, 'documents.jsonl');
  const out = join(folder, 'imported');
  const documents = await generate(source);
  const { size } = await stat(source);
  const imported = await runCli(['data', 'import', source, out]);
  const validated = await runCli(['data', 'validate', out]);
  console.log(
    JSON.stringify({
      bench: 'data-memory',
      megabytes: Math.round(size / 2 ** 20),
      documents,
      import: imported,
      validate: validated,
    }),
  );
} finally {
  await rm(folder, { recursive: true, force: true });
}
