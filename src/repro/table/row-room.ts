import { freeRoom, type RoomPart } from '../../run/room/room.js';
import { shareModels } from '../../run/room/share-models.js';
import type { RunDirectory } from '../../run/run-directory.js';

/**
 * Leaves of runs that are done and measured what a table and a later look need: the best model, the newest checkpoint's,
 * measurements and events. Of equal models, such as what all start from, the disk has one.
 */
export async function keepResults(runs: readonly RunDirectory[], first: RunDirectory): Promise<void> {
  const removed: RoomPart[] = [];
  for (const run of runs) removed.push(...(await freeRoom(run)));
  // Models are compared by their bytes, and those of runs that were freed before have been.
  if (removed.length > 0) await shareModels(...new Set([first, ...runs]));
}
