/**
 * How fast the engine trains and encodes, beside what the machine can do. One JSON line; progress on stderr.
 *
 *   npm run bench:engine
 *   npm run bench:engine -- --reference model.onnx      a public export of all-MiniLM-L6-v2
 *   npm run bench:engine -- --reference stand-in        an export like it, written here
 *   npm run bench:engine -- --threads 1 --clock cpu     on a machine that is busy with other things
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { loadEncoderModel } from '../src/model/index.js';
import { alternate, type Clock } from './engine/clock.js';
import { encodingWorks } from './engine/encoding.js';
import { gemmWork } from './engine/gemm.js';
import { referenceExport } from './engine/reference-export.js';
import { stepWork } from './engine/training.js';

const { values } = parseArgs({
  options: {
    reference: { type: 'string' },
    threads: { type: 'string' },
    clock: { type: 'string', default: 'wall' },
    rounds: { type: 'string', default: '7' },
    texts: { type: 'string', default: '256' },
  },
});
const clock = values.clock as Clock;
if (clock !== 'wall' && clock !== 'cpu')
  throw new Error(`--clock: expected wall or cpu, got ${values.clock}`);
const rounds = Number(values.rounds);
const session = values.threads ? { threads: Number(values.threads) } : {};
const log = (line: string): void => void process.stderr.write(`bench:engine: ${line}\n`);

log('cold start and memory, each in a process of its own');
const { coldStartSeconds } = await child<{ coldStartSeconds: number }>('cold-start-child.ts');
const { rssGrowthMb } = await child<{ rssGrowthMb: number }>('memory-child.ts');

const model = await loadEncoderModel('minilm');
const reference = values.reference === 'stand-in' ? referenceExport(model) : values.reference;
log(`encoding ${values.texts} texts${reference ? ' with ours and the reference in turn' : ''}`);
const encoding = await encodingWorks(model, { session, texts: Number(values.texts), reference });
const { tokens, ...encoders } = encoding;
const encodeSeconds: { ours: number; reference?: number } = await alternate(
  encoders as Record<'ours' | 'reference', () => Promise<unknown>>,
  { clock, rounds },
);

log('a training step and a matrix product in turn');
const [gemm, step] = [await gemmWork(session), await stepWork(model, session)];
const seconds = await alternate({ gemm: gemm.run, step: step.run }, { clock, rounds });

const gemmGflops = gemm.flops / seconds.gemm / 1e9;
const stepGflops = step.flops / seconds.step / 1e9;
process.stdout.write(
  `${JSON.stringify({
    gemmGflops: round(gemmGflops),
    stepGflops: round(stepGflops),
    stepRatio: round(stepGflops / gemmGflops),
    encodeTokensPerSecond: Math.round(tokens / encodeSeconds.ours),
    encodeRatio:
      encodeSeconds.reference === undefined ? null : round(encodeSeconds.reference / encodeSeconds.ours),
    peakRssMb: Math.round(process.resourceUsage().maxRSS / 1024),
    rssGrowthMb: round(rssGrowthMb),
    coldStartSeconds: round(coldStartSeconds),
  })}\n`,
);

async function child<T>(script: string): Promise<T> {
  const args = ['--import', 'tsx', join(import.meta.dirname, 'engine', script), clock];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as T;
}

/** Three significant digits. */
function round(value: number): number {
  return Number(value.toPrecision(3));
}
