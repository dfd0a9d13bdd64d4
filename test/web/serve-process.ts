import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';

const cli = resolve(import.meta.dirname, '../../dist/cli/main.js');

export interface ServeProcess {
  /** Where it listens, without a slash at the end. */
  url: string;
  /** The code it exits with; null where it had to be killed. */
  stop(): Promise<number | null>;
  /** Ends it as a power cut would. */
  kill(): Promise<void>;
}

/** Longer than a server may take to stop, whatever else the machine does. */
const STOP_MS = 30_000;

/** `nearmiss serve` as users start it, on a free port; resolves once its index is open. */
export async function startServe(target: string, args: readonly string[] = []): Promise<ServeProcess> {
  const child = spawn(process.execPath, [cli, 'serve', target, '--port', '0', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const lines: string[] = [];
  let url: string | undefined;
  const ready = new Promise<string>((fulfil, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      lines.push(line);
      url ??= /listening on (http:\/\/[^\s"]+)/.exec(line)?.[1];
      if (url !== undefined && line.includes('"ready"')) fulfil(url);
    });
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}:\n${lines.join('\n')}`)));
  });
  return {
    url: await ready,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const overdue = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      await ended;
      clearTimeout(overdue);
      return child.exitCode;
    },
  };
}
