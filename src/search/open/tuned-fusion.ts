import { join } from 'node:path';
import { z } from 'zod';
import { exists } from '../../base/files.js';
import { readJsonFile, writeSealedJsonFile } from '../../base/json-file.js';
import type { HybridOptions } from '../retrievers/hybrid-retriever.js';

const schema = z.object({
  /** Of model, index and collection that the weights were tuned for. */
  version: z.string(),
  method: z.enum(['linear', 'rrf']),
  normalization: z.enum(['none', 'minmax', 'zscore']),
  /** Of the vectors and of the words. */
  weights: z.array(z.number().min(0)).length(2),
  depth: z.int().min(1),
  /** What they were tuned on, and what came out. */
  split: z.string(),
  measure: z.string(),
  value: z.number(),
  /** Whether both together were better than either by more than chance; weights that a person asked for are. */
  recommended: z.boolean().default(true),
});

/** Weights tuned on development queries. */
export type TunedFusion = z.infer<typeof schema>;

/** Where the weights are kept. */
export function tunedFusionFile(cache: string): string {
  return join(cache, 'hybrid.json');
}

export async function writeTunedFusion(cache: string, tuned: TunedFusion): Promise<void> {
  await writeSealedJsonFile(tunedFusionFile(cache), tuned);
}

/** How to fuse, and whether to do so where no mode is named. */
export interface RecommendedFusion {
  fusion: HybridOptions;
  recommended: boolean;
}

/** How to fuse as it was tuned; weights of another model or collection do not count. */
export async function readTunedFusion(
  cache: string,
  options: { version: string; onNote?: (note: string) => void },
): Promise<RecommendedFusion | undefined> {
  const path = tunedFusionFile(cache);
  if (!(await exists(path))) return undefined;
  const { version, recommended, method, normalization, weights, depth } = await readJsonFile(path, schema, {
    hint: 'delete the file, or tune again with: nearmiss search TARGET --tune dev',
  });
  if (version === options.version) return { recommended, fusion: { method, normalization, weights, depth } };
  options.onNote?.(
    'the weights of hybrid search were tuned for another state of model or collection: fusing untuned instead; --tune finds new ones',
  );
  return undefined;
}
