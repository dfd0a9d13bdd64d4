import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expectChecksum } from '../../base/checked-file.js';
import type { VerifyOptions } from '../../base/checksums.js';
import { AtomicFile, adviseWriter, writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
import { seal } from '../../base/json-file.js';
import { RandomAccessFile } from '../../base/random-access-file.js';
import { readRunDescription } from '../../run/run-description.js';
import { READ_ONLY_RUN, type RunDirectory } from '../../run/run-directory.js';
import { shownStep, type WantedStep } from '../shown-step.js';
import type { Quality, QualityCase } from './quality.js';

/** What was measured. */
export interface QualityKey {
  split: string;
  step: number;
}

/** The split and the checkpoint that are meant. */
export async function qualityKey(
  run: RunDirectory,
  options: { split?: string; step?: WantedStep },
): Promise<QualityKey> {
  const { recipe } = await readRunDescription(run);
  return { split: options.split ?? recipe.evaluation.split, step: await shownStep(run, options.step) };
}

const SUMMARY = 'quality.json';
const CASES = 'cases.jsonl';
const PLACES = 'offsets.json';

/** Where the cases are; of earlier versions there are the offsets alone. */
interface CasePlaces {
  /** For each query of the summary where its case begins, and where the last one ends. */
  offsets: number[];
  /** The CRC-32 of each case. */
  checks: number[];
}

/** Kept in the run's cache, which may be deleted at any time. */
function folderOf({ split, step }: QualityKey): string[] {
  return ['cache', 'quality', `${encodeURIComponent(split)}-step-${step}`];
}

/** What was measured before. */
export async function readQuality(run: RunDirectory, key: QualityKey): Promise<Quality | undefined> {
  // One that is damaged is measured again.
  const quality = await run.readJson<Quality>(...folderOf(key), SUMMARY).catch(() => undefined);
  return quality?.format === 2 ? quality : undefined;
}

/** Whether what training began with was measured on each query, and not only taken from its curve. */
export function hasStart({ step, systems }: Pick<Quality, 'step' | 'systems'>): boolean {
  return step === 0 || systems.some(({ name, against }) => name === 'start' && against !== undefined);
}

/** The case of one query; `undefined` where nothing was measured or the query is not of that split. */
export async function readQualityCase(
  run: RunDirectory,
  key: QualityKey & { query: string },
): Promise<QualityCase | undefined> {
  const place = (await readQuality(run, key))?.queries.findIndex(({ id }) => id === key.query) ?? -1;
  const places = await run.readJson<CasePlaces | number[]>(...folderOf(key), PLACES);
  if (place < 0 || !places) return undefined;
  const { offsets, checks = undefined } = Array.isArray(places) ? { offsets: places } : places;
  const path = run.file(...folderOf(key), CASES);
  const file = await RandomAccessFile.open(path);
  try {
    const line = new Uint8Array(offsets[place + 1] - offsets[place]);
    await file.readInto(line, offsets[place]);
    if (checks) expectChecksum(path, crc32(line), { crc32: checks[place] }, damage(run, key));
    return JSON.parse(new TextDecoder().decode(line)) as QualityCase;
  } finally {
    await file.close();
  }
}

function damage(run: RunDirectory, key: QualityKey): VerifyOptions {
  const remedy = `remove ${run.file(...folderOf(key))}: it is measured again`;
  return { what: 'what was measured', remedy };
}

/** Writes the summary and its cases, which come in the order of the summary's queries. */
export async function keepQuality(
  run: RunDirectory,
  quality: Quality,
  cases: Iterable<QualityCase>,
): Promise<void> {
  await writeDirectoryAtomic(
    run.file(...folderOf(quality)),
    async (folder) => {
      const file = await AtomicFile.create(join(folder, CASES));
      const offsets = [0];
      const checks: number[] = [];
      try {
        for (const one of cases) {
          const line = Buffer.from(`${JSON.stringify(one)}\n`);
          await file.write(line);
          offsets.push(offsets.at(-1)! + line.length);
          checks.push(crc32(line));
        }
        await file.commit();
      } catch (error) {
        await file.abort();
        throw error;
      }
      await writeFileAtomic(join(folder, PLACES), JSON.stringify(seal({ offsets, checks })));
      await writeFileAtomic(join(folder, SUMMARY), JSON.stringify(seal(quality)));
    },
    { replaces: 'anything' },
  ).catch(adviseWriter(READ_ONLY_RUN));
}
