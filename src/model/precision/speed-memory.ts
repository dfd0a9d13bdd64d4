import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import { cacheFolder } from '../../base/folders/cache-folder.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';

/** What speed depends on besides the load. */
export interface SpeedKey {
  processor: string;
  /** Version of ONNX Runtime. */
  runtime: string;
  /** 0: all cores. */
  threads: number;
  hiddenSize: number;
  layers: number;
  heads: number;
  intermediateSize: number;
}

const memory = z.looseObject({ gain: z.number().positive() });

/** How many times as fast as fp32 int8 was for such a model on this machine; undefined where nobody has measured. */
export async function recallSpeed(key: SpeedKey): Promise<number | undefined> {
  try {
    return (await readJsonFile(fileOf(key), memory)).gain;
  } catch {
    return undefined;
  }
}

/** Keeps it in the user's cache; where that cannot be written, it is measured again next time. */
export async function rememberSpeed(key: SpeedKey, gain: number): Promise<void> {
  try {
    await writeJsonFile(fileOf(key), { ...key, gain });
  } catch {}
}

function fileOf(key: SpeedKey): string {
  const hash = createHash('sha256').update(JSON.stringify(key)).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'precision', `${hash}.json`);
}
