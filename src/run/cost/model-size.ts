import { openModel } from '../../model/index.js';
import type { Recipe } from '../../recipe/recipe.js';

export interface ModelSize {
  /** Parameters of the layers, which every token passes. */
  layers: number;
  all: number;
  /** Numbers that a token's states have in all layers together. */
  states: number;
  dimension: number;
}

export async function modelSize({ model }: Recipe): Promise<ModelSize> {
  const { init, layers = 0, hiddenSize = 0, vocabularySize = 0 } = model;
  const scratch = { layers, hiddenSize, vocabularySize, intermediateSize: 4 * hiddenSize };
  const config = init === 'scratch' ? scratch : await configOf(init, layers);
  const width = config.hiddenSize;
  const inLayers = config.layers * (4 * width * width + 2 * width * config.intermediateSize);
  const towers = model.towers === 'two' ? 2 : 1;
  const all = towers * (inLayers + (config.vocabularySize + 512) * width);
  return { layers: inLayers, all, states: config.layers * width, dimension: width };
}

async function configOf(init: string, layers: number) {
  const { config, weights } = await openModel(init, { quiet: true });
  await weights.close();
  return layers > 0 ? { ...config, layers } : config;
}
