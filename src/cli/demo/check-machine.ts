import { totalmem } from 'node:os';
import { NearmissError } from '../../base/errors.js';
import { freeDiskBytes } from '../../base/folders/free-disk.js';
import { count } from '../../base/progress.js';

export interface MachineNeeds {
  diskMb: number;
  memoryMb: number;
}

/** What a machine has, in MB. */
export interface MachineState {
  /** Free on the disk of a folder; undefined where the system does not tell. */
  freeDiskMb: number | undefined;
  /** All there is: of the machine, or of the container it runs in. */
  memoryMb: number;
  /** Not used by others now. */
  availableMemoryMb: number;
}

const MB = 1024 * 1024;

/** Looks at the disk that holds `folder`, which need not be there yet, and at the memory. */
export async function machineState(folder: string): Promise<MachineState> {
  const free = await freeDiskBytes(folder);
  // 0 or larger than the machine where there is no limit.
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return {
    freeDiskMb: free && free / MB,
    memoryMb: memory / MB,
    availableMemoryMb: Math.min(process.availableMemory(), memory) / MB,
  };
}

/** Refuses a machine that is too small, before anything is computed. */
export function checkMachine(options: {
  needs: MachineNeeds;
  state: MachineState;
  folder: string;
  /** An earlier start has taken some of the disk space already. */
  begun: boolean;
}): void {
  const { needs, folder, begun } = options;
  const { freeDiskMb, memoryMb } = options.state;
  if (!begun && freeDiskMb !== undefined && freeDiskMb < needs.diskMb) {
    throw new NearmissError(
      `${folder}: expected ${count(needs.diskMb)} MB of free disk space, got ${count(freeDiskMb)} MB`,
      { hint: 'free some space, or choose a folder on another disk with --out' },
    );
  }
  if (memoryMb < needs.memoryMb) {
    throw new NearmissError(
      `expected ${count(needs.memoryMb)} MB of memory, got ${count(memoryMb)} MB: two processes with a model each would not fit`,
      { hint: 'use a larger machine or container; nearmiss demo --quick needs less, on any of them' },
    );
  }
}

/** What to say on a machine that is large enough, but busy. */
export function busyWarning(
  { memoryMb }: MachineNeeds,
  { availableMemoryMb }: MachineState,
): string | undefined {
  if (availableMemoryMb >= memoryMb) return undefined;
  return `only ${count(availableMemoryMb)} MB of memory are free, and ${count(memoryMb)} MB are needed: close other programs if a process dies`;
}
