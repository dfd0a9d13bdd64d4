import { type Dataset, pairsDataset, type TextPair, writeBeir } from '../data/index.js';

/** The folder of a run's collection: the one that was named, or one beside the run for what is in memory. */
export async function keepData(data: string | Dataset | readonly TextPair[], out: string): Promise<string> {
  if (typeof data === 'string') return data;
  const folder = `${out.replace(/[/\\]+$/, '')}-data`;
  const dataset = isDataset(data) ? data : pairsDataset(data);
  // Written again where the run goes on: that it is the same as before is checked by its fingerprint.
  await writeBeir(dataset, folder, { overwrite: true });
  return folder;
}

function isDataset(data: Dataset | readonly TextPair[]): data is Dataset {
  return !Array.isArray(data);
}
