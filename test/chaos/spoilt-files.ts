import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../src/engine/random.js';
import { judge, type Tally } from './outcome.js';
import { filesUnder, SPOIL_KINDS, type SpoilKind, spoil } from './spoil.js';
import type { Subject } from './subjects.js';

export interface SpoiltFilesOptions {
  seed: number;
  /** How often each file is spoilt in each way. */
  rounds: number;
  kinds?: readonly SpoilKind[];
  timeoutMs?: number;
}

/** Spoils every file of a subject in every way, one at a time, and reads it: the same, or an error that names the file. */
export async function spoilFiles(subject: Subject, tally: Tally, options: SpoiltFilesOptions): Promise<void> {
  const { seed, rounds, kinds = SPOIL_KINDS, timeoutMs = 60_000 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-chaos-'));
  const [whole, copy] = [join(folder, 'whole'), join(folder, 'copy')];
  const restore = async (): Promise<void> => {
    await rm(copy, { recursive: true, force: true });
    await cp(whole, copy, { recursive: true, preserveTimestamps: true });
  };
  try {
    await subject.make(whole);
    await restore();
    const expected = await subject.read(copy);
    for (const file of await filesUnder(join(whole, subject.files))) {
      for (const kind of kinds) {
        for (let round = 0; round < rounds; round++) {
          await restore();
          const path = join(copy, subject.files, file);
          if (!(await spoil(path, kind, Random.from(seed, subject.name, file, kind, round)))) continue;
          const judged = await judge(() => subject.read(copy), { expected, names: [path], timeoutMs });
          tally.add(`${subject.name}: ${file}: ${kind} ${round} of seed ${seed}`, judged, 'corrupted');
        }
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
