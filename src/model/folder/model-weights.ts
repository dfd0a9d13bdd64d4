import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseExport } from '../onnx/export-files.js';
import { openWeights, type Weights } from './weights.js';

export interface ModelWeightsOptions {
  /** How many there are according to `config.json`. */
  layers: number;
  /** The ONNX export to read, whatever else is in the folder. */
  exported?: string;
}

/** Opens the weights in a model's folder: its safetensors, or where it has none, those inside its ONNX export. */
export async function openModelWeights(
  folder: string,
  { layers, exported }: ModelWeightsOptions,
): Promise<Weights> {
  const path = exported ?? (await findExport(folder));
  if (path === undefined) return openWeights(folder);
  // Not loaded with the file: most models have safetensors.
  const { openOnnxWeights } = await import('../onnx/onnx-weights.js');
  return openOnnxWeights(path, { layers });
}

async function findExport(folder: string): Promise<string | undefined> {
  const [here, inside] = await Promise.all(
    ['', 'onnx'].map((name) => readdir(join(folder, name)).catch((): string[] => [])),
  );
  if (here.some((name) => name.endsWith('.safetensors'))) return undefined;
  const chosen = chooseExport(folder, [...inside.map((name) => `onnx/${name}`), ...here]);
  return chosen && join(folder, chosen);
}
