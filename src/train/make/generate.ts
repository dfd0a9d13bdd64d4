import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists } from '../../base/files.js';
import type { OptionsOf } from '../../base/registry.js';
import { Random } from '../../engine/index.js';
import {
  GENERATED_FILE,
  generateCollection,
  isEndpoint,
  openGenerator,
  readGenerated,
} from '../../generate/index.js';
import { sampleDistinct } from '../../negatives/sample-distinct.js';
import type { generateKind } from '../../recipe/makers/generate-kind.js';
import { recipeModel } from '../../run/best-model.js';
import type { MakeContext } from './make-context.js';

type GenerateOptions = OptionsOf<(typeof generateKind)['options']>;

/** Opens the maker `generate`. What was written waits in the scratch folder, so that a stopped stage goes on behind it. */
export async function makeGenerated(options: GenerateOptions, context: MakeContext): Promise<void> {
  const { scratch, folder, tell } = context;
  const written = join(scratch, GENERATED_FILE);
  // A kill may have come between the last query and the folder's name.
  if (!(await exists(written))) await write(written, options, context);
  await copyFile(written, join(folder, GENERATED_FILE));
  let [passages, queries] = [0, 0];
  for await (const record of readGenerated(written)) {
    passages++;
    queries += record.queries.length;
  }
  tell({ passages, queries });
}

async function write(out: string, options: GenerateOptions, context: MakeContext): Promise<void> {
  const { run, recipe, data, session, progress, signal } = context;
  const { generator: model, service, count, splitWords, limit, topK, topP, temperature } = options;
  const writer = isEndpoint(model) ? model : await recipeModel(run, model);
  const generator = await openGenerator(writer, {
    count,
    topK,
    topP,
    temperature,
    seed: recipe.seed,
    beams: 0,
    lengthPenalty: 1,
    minTokens: 0,
    repetitionPenalty: 1,
    noRepeat: 0,
    session,
    endpoint: { model: service, key: process.env.NEARMISS_GENERATOR_KEY },
  });
  const all = data.documents.count;
  const documents = limit > 0 ? Math.min(limit, all) : all;
  const only = documents < all ? drawn(documents, all, recipe.seed) : undefined;
  try {
    await generateCollection(data.dataset, generator, {
      out,
      splitWords,
      ...(only && { only }),
      dataFingerprint: data.tables.dataFingerprint,
      signal,
      // How many passages long documents have is known only at the end.
      onPassages: (done) => progress(done, splitWords > 0 ? 0 : documents),
    });
    signal.throwIfAborted();
  } finally {
    await generator.close();
  }
}

/** Some of all documents, by their numbers. */
function drawn(count: number, all: number, seed: number): Set<number> {
  const numbers = sampleDistinct(Random.from(seed, 'generate'), all, count);
  return new Set([...numbers].sort((a, b) => a - b));
}
