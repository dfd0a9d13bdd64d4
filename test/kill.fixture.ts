import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../src/engine/index.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');

/** Runs `nearmiss train` with one thread for each process, and gives the child. */
export function startTraining(args: string[]): ChildProcess {
  const threads = ['--trainer-threads', '1', '--inferencer-threads', '1', '--quiet'];
  return spawn(process.execPath, [CLI, 'train', ...args, ...threads], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export async function exitOf(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
  return new Promise((done) => child.once('exit', (code) => done(code)));
}

/**
 * Trains to the end while killing processes (SIGKILL) at random moments: the Trainer, the Inferencer or their
 * supervisor, which is then started again with the same command. Gives how often each was killed.
 */
export async function trainUnderFire(
  run: string,
  args: string[],
  options: { kills: number; seed: number; maxPauseMs: number },
): Promise<Record<string, number>> {
  const random = Random.from(options.seed, 'kills');
  const killed: Record<string, number> = { trainer: 0, inferencer: 0, supervisor: 0 };
  let supervisor = startTraining(args);
  let count = 0;
  while (count < options.kills) {
    await sleep(random.integer(options.maxPauseMs));
    if (existsSync(join(run, 'finished.json'))) break;
    const victim = (['trainer', 'inferencer', 'supervisor'] as const)[random.integer(3)];
    const pid = victim === 'supervisor' ? supervisor.pid : lockOwner(join(run, `${victim}.lock`));
    if (pid === undefined || !kill(pid)) continue;
    killed[victim]++;
    count++;
    if (victim === 'supervisor') {
      await exitOf(supervisor);
      supervisor = startTraining(args);
    }
  }
  if ((await exitOf(supervisor)) === 0) return killed;
  if ((await exitOf(startTraining(args))) === 0) return killed;
  throw new Error('the run did not come to its end once nothing was killed any more');
}

function lockOwner(path: string): number | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')).pid;
  } catch {
    return undefined;
  }
}

function kill(pid: number): boolean {
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
