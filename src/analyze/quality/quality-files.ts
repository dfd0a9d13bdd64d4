import { join } from 'node:path';
import { AtomicFile, adviseWriter, writeDirectoryAtomic, writeFileAtomic } from '../../base/files.js';
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
/** For each query of the summary where its case begins, and where the last one ends. */
const OFFSETS = 'offsets.json';

/** Kept in the run's cache, which may be deleted at any time. */
function folderOf({ split, step }: QualityKey): string[] {
  return ['cache', 'quality', `${encodeURIComponent(split)}-step-${step}`];
}

/** What was measured before. */
export async function readQuality(run: RunDirectory, key: QualityKey): Promise<Quality | undefined> {
  const quality = await run.readJson<Quality>(...folderOf(key), SUMMARY);
  return quality?.format === 1 ? quality : undefined;
}

/** The case of one query; `undefined` where nothing was measured or the query is not of that split. */
export async function readQualityCase(
  run: RunDirectory,
  key: QualityKey & { query: string },
): Promise<QualityCase | undefined> {
  const place = (await readQuality(run, key))?.queries.findIndex(({ id }) => id === key.query) ?? -1;
  const offsets = await run.readJson<number[]>(...folderOf(key), OFFSETS);
  if (place < 0 || !offsets) return undefined;
  const file = await RandomAccessFile.open(run.file(...folderOf(key), CASES));
  try {
    const line = new Uint8Array(offsets[place + 1] - offsets[place]);
    await file.readInto(line, offsets[place]);
    return JSON.parse(new TextDecoder().decode(line)) as QualityCase;
  } finally {
    await file.close();
  }
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
      try {
        for (const one of cases) {
          const line = Buffer.from(`${JSON.stringify(one)}\n`);
          await file.write(line);
          offsets.push(offsets.at(-1)! + line.length);
        }
        await file.commit();
      } catch (error) {
        await file.abort();
        throw error;
      }
      await writeFileAtomic(join(folder, OFFSETS), JSON.stringify(offsets));
      await writeFileAtomic(join(folder, SUMMARY), JSON.stringify(quality));
    },
    { replaces: 'anything' },
  ).catch(adviseWriter(READ_ONLY_RUN));
}
