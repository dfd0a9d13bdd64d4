import { cp, link, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { exists, writeDirectoryAtomic } from '../../base/files.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import { STATE_FILE } from '../checked-folder.js';
import type { RunDirectory } from '../run-directory.js';

/** What only a Trainer that goes on would read: the optimizer's moments and the task's state. */
const FOR_GOING_ON = /^(optimizer|task)-.+\.bin$/;

/** Whether a run has taken its last step and measured it, so that nothing in it will go on. */
export async function isDone(run: RunDirectory): Promise<boolean> {
  const last = (await run.steps('checkpoints')).at(-1);
  return last !== undefined && (await run.isFinished()) && (await run.has('evaluations', last));
}

/** The files of a checkpoint that are of use only as long as training goes on. */
export async function momentsOf(checkpoint: string): Promise<string[]> {
  return (await readdir(checkpoint)).filter((name) => FOR_GOING_ON.test(name));
}

/** Leaves the model of a checkpoint from which nobody will go on: a third of it. */
export async function dropMoments(checkpoint: string): Promise<void> {
  const dropped = await momentsOf(checkpoint);
  const stateFile = join(checkpoint, STATE_FILE);
  if (dropped.length === 0 || !(await exists(stateFile))) return;
  const {
    files = {},
    contentSha256: _,
    sealed: __,
    ...state
  } = JSON.parse(await readFile(stateFile, 'utf8'));
  const left = Object.entries(files).filter(([name]) => !dropped.includes(name));
  await writeDirectoryAtomic(
    checkpoint,
    async (folder) => {
      for (const entry of await readdir(checkpoint, { withFileTypes: true })) {
        const { name } = entry;
        if (name === STATE_FILE || dropped.includes(name)) continue;
        const [from, to] = [join(checkpoint, name), join(folder, name)];
        // What says how vectors are pooled is a folder of its own, which cannot be linked.
        if (entry.isDirectory()) await cp(from, to, { recursive: true });
        else await link(from, to);
      }
      await writeSealedJsonFile(join(folder, STATE_FILE), { ...state, files: Object.fromEntries(left) });
    },
    { replaces: 'anything' },
  );
}
