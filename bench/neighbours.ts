// What commands that compute at the same time cost each other: two and three at once against one after the other, and
// what threads that spin while they wait would gain a command that has the machine for itself.
// npm run bench:neighbours -- [--texts 600] [--rounds 3]
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { Random } from '../src/engine/index.js';
import { loadEncoderModel } from '../src/model/index.js';
import { exitOf } from '../test/kill.fixture.js';
import { alternate, secondsOf } from './engine/clock.js';
import { encodingWorks } from './engine/encoding.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');
const { values } = parseArgs({
  options: { texts: { type: 'string', default: '600' }, rounds: { type: 'string', default: '3' } },
});
const texts = Number(values.texts);
const rounds = Number(values.rounds);
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-neighbours-'));

/** Texts of 20 to 220 words, as passages are. */
function writeTexts(path: string): void {
  const random = Random.from(1, 'bench', 'neighbours');
  const words = (): string[] =>
    Array.from({ length: 20 + random.integer(200) }, () => random.bits().toString(36));
  writeFileSync(path, Array.from({ length: texts }, () => `${words().join(' ')}\n`).join(''));
}

async function encode(number: number): Promise<void> {
  const output = join(folder, `${number}.npy`);
  const args = [
    'encode',
    join(folder, 'texts.txt'),
    '--format',
    'text',
    '--model',
    'minilm',
    '--output',
    output,
    '--quiet',
  ];
  const code = await exitOf(
    spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'ignore', 'inherit'] }),
  );
  if (code !== 0) throw new Error(`nearmiss encode ended with exit code ${code}`);
  rmSync(output);
  rmSync(join(folder, `${number}.ids.txt`));
}

const atOnce = async (count: number): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, number) => encode(number)));

/** Seconds of `count` commands at once, as a share of the same one after the other. Neighbours in time are compared. */
async function ratioOf(count: number): Promise<number> {
  const ratios: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const inTurn = await secondsOf('wall', async () => {
      for (let number = 0; number < count; number++) await encode(number);
    });
    ratios.push((await secondsOf('wall', () => atOnce(count))) / inTurn);
    process.stderr.write(`${count} at once: ${ratios.at(-1)?.toFixed(2)} of the time one after the other\n`);
  }
  return ratios.toSorted((a, b) => a - b)[ratios.length >> 1];
}

/** How much faster a command encodes alone when its threads spin. */
async function spinGain(): Promise<number> {
  const model = await loadEncoderModel('minilm');
  const works = await Promise.all(
    [true, false].map((spinning) =>
      encodingWorks(model, { session: { spinning }, texts: Math.ceil(texts / 4) }),
    ),
  );
  const seconds = await alternate(
    { spin: works[0].ours, wait: works[1].ours },
    { clock: 'wall', rounds: 2 * rounds + 1 },
  );
  return seconds.wait / seconds.spin - 1;
}

try {
  writeTexts(join(folder, 'texts.txt'));
  const spinGainAlone = await spinGain();
  const [ratio2, ratio3] = [await ratioOf(2), await ratioOf(3)];
  const round = (value: number): number => Number(value.toFixed(3));
  process.stdout.write(
    `${JSON.stringify({ texts, ratio2: round(ratio2), ratio3: round(ratio3), spinGainAlone: round(spinGainAlone) })}\n`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
