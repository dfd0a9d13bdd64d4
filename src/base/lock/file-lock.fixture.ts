import { once } from 'node:events';
import { join } from 'node:path';
import { holdFileLock } from './file-lock.js';

const [folder, ...names] = process.argv.slice(2);
process.send!('ready');
await once(process, 'message');
const taken: string[] = [];
for (const name of names) {
  // Two at once, since the others' turns are not as close to each other as those of one process.
  const takers = await Promise.all([1, 2].map(() => holdFileLock(join(folder, name))));
  for (const taker of takers) if (!('heldBy' in taker)) taken.push(name);
}
process.send!(taken);
// Whoever is later must find the locks held.
setInterval(() => undefined, 1000);
