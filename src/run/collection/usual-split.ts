import { JUDGED_SPLIT, openDataset } from '../../data/index.js';

const TRAIN_SPLIT = 'train';

/** The split to learn from where none was named: `train`, or what people judged where there is nothing else. */
export async function usualSplit(collection: string): Promise<string> {
  const splits = await (await openDataset(collection)).splits();
  return !splits.includes(TRAIN_SPLIT) && splits.includes(JUDGED_SPLIT) ? JUDGED_SPLIT : TRAIN_SPLIT;
}
