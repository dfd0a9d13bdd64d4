import { NearmissError } from '../base/errors.js';
import { type RunDirectory, START_FOLDER } from './run-directory.js';

/** Where the model of a step is: its checkpoint or, when that is gone, the best model if it is that one. */
export async function modelFolder(run: RunDirectory, step: number): Promise<string> {
  if (await run.has('checkpoints', step)) return run.stepPath('checkpoints', step);
  if (step === 0) return run.file(START_FOLDER);
  const best = await run.readJson<{ step: number }>('best.json');
  if (best?.step === step) return run.file('best');
  throw new NearmissError(`${run.path}: no checkpoint of step ${step}`, {
    hint: `there are ${(await run.steps('checkpoints')).join(', ') || 'none'}`,
  });
}
