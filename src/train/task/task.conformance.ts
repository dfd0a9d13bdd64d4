import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFilesIn } from '../../base/open-files.fixture.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { bothRoles, eventsOf, stopAfter } from '../run.fixture.js';

/** A task as a recipe names it, made for the suite. */
export interface TaskSubject {
  name: string;
  /** Begins a run of it in lockstep; each call another one of the same. */
  start(name: string): Promise<RunDirectory>;
  /** Steps of the run, and after which of them it is interrupted. */
  steps: number;
  interruptions: readonly number[];
  /** What it keeps besides the weights. */
  state?: readonly string[];
}

/** What every task must do; one call for each. */
export function taskConformance({ name, start, steps, interruptions, state = [] }: TaskSubject): void {
  describe(`task ${name}`, () => {
    test('interrupted and resumed it ends in the weights of an uninterrupted run', async () => {
      const whole = await start('whole');
      await bothRoles(whole);
      const taken = (await eventsOf(whole, 'trainer')).filter((event) => event.type === 'step');
      expect(taken.map(({ step }) => step)).toEqual(Array.from({ length: steps }, (_, step) => step));
      expect(taken.every(({ loss, gradientNorm }) => Number.isFinite(loss) && gradientNorm > 0)).toBe(true);

      const halved = await start('halved');
      for (const step of interruptions) {
        await stopAfter(halved, step);
        expect(await halved.isFinished()).toBe(false);
        expect(await openFilesIn(dirname(halved.path)), 'files left open').toEqual([]);
        const files = await readdir(halved.stepPath('resume', step + 1));
        expect(files.filter((file) => file.startsWith('task-'))).toEqual(
          state.map((part) => `task-${part}.bin`),
        );
      }
      await bothRoles(halved);
      const [expected, found] = [await weightsOf(whole, steps), await weightsOf(halved, steps)];
      expect(expected.size).toBeGreaterThan(0);
      expect([...found.keys()]).toEqual([...expected.keys()]);
      for (const [file, weights] of expected) expect(found.get(file)!.equals(weights), file).toBe(true);
      const losses = async (run: RunDirectory): Promise<number[]> =>
        (await eventsOf(run, 'trainer')).flatMap((event) => (event.type === 'step' ? event.loss : []));
      expect(await losses(halved)).toEqual(await losses(whole));
    });
  });
}

/** The weights of all encoders of a checkpoint. */
async function weightsOf(run: RunDirectory, step: number): Promise<Map<string, Buffer>> {
  const folder = run.stepPath('checkpoints', step);
  const files = (await readdir(folder, { recursive: true }))
    .filter((file) => file.endsWith('.safetensors'))
    .sort();
  return new Map(
    await Promise.all(files.map(async (file) => [file, await readFile(join(folder, file))] as const)),
  );
}
