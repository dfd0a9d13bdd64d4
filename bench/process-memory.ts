import { readdirSync, readFileSync } from 'node:fs';

/** Watches a process and those it has started, and gives the most memory that they had together. Linux only; elsewhere 0. */
export function watchMemory(pid: number, everyMs = 500): { stop(): number } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, megabytesOf(pid));
  }, everyMs);
  return {
    stop() {
      clearInterval(timer);
      return Math.round(peak);
    },
  };
}

function megabytesOf(root: number): number {
  const children = new Map<number, number[]>();
  for (const pid of processes()) {
    const parent = parentOf(pid);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const sum = (pid: number): number =>
    (children.get(pid) ?? []).reduce((total, child) => total + sum(child), proportionalMegabytes(pid));
  return sum(root);
}

function processes(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function parentOf(pid: number): number | undefined {
  const stat = read(`/proc/${pid}/stat`);
  // The name stands in parentheses and may hold anything, also blanks.
  const parent = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? undefined : Number(parent);
}

/** Pages that several processes share are divided among them. */
function proportionalMegabytes(pid: number): number {
  const pss = read(`/proc/${pid}/smaps_rollup`)?.match(/^Pss:\s+(\d+) kB/m);
  return pss ? Number(pss[1]) / 1024 : 0;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
