import { availableParallelism } from 'node:os';
import { openModel } from '../model/index.js';
import type { Recipe } from '../recipe/recipe.js';
import { textLengths } from '../recipe/text-lengths.js';

/** What a core multiplies and adds in a second while it trains (docs/engine.md: 130 GFLOPS on two). */
const CORE_FLOPS = 60e9;
const CHARACTERS_PER_TOKEN = 4.5;
/** The collection is encoded by the start and by what comes out, and parts of it to choose the mix of the two. */
const PASSES = 2.3;

/** About how long an adaptation takes on this machine's cores, in seconds; nothing else is to run beside it. */
export async function adaptSeconds(
  recipe: Recipe,
  { documents, characters }: { documents: number; characters: number },
): Promise<number> {
  const { config, weights, maxSequenceLength } = await openModel(recipe.model.init, { quiet: true });
  await weights.close();
  const { hiddenSize, intermediateSize } = config;
  const layers = recipe.model.layers ?? config.layers;
  const parameters = layers * (4 * hiddenSize * hiddenSize + 2 * hiddenSize * intermediateSize);
  const longest = Math.min(textLengths(recipe.model).document || maxSequenceLength, maxSequenceLength);
  const length = Math.min(longest, characters / Math.max(1, documents) / CHARACTERS_PER_TOKEN);
  const { steps, batch } = recipe.stages.find((stage) => !stage.make)!;
  const { queries } = { ...recipe.batch, ...batch };
  const learned = 6 * parameters * steps * queries * (16 + 2 * length);
  const encoded = 2 * parameters * PASSES * documents * length;
  return (learned + encoded) / (CORE_FLOPS * availableParallelism());
}
