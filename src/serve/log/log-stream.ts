import { styleText } from 'node:util';

/** Where a log goes: `process.stderr`, or something like it. */
export interface LogTarget {
  write(line: string): unknown;
  isTTY?: boolean;
}

const LEVELS: Record<number, { name: string; style: Parameters<typeof styleText>[0] }> = {
  10: { name: 'trace', style: 'gray' },
  20: { name: 'debug', style: 'gray' },
  30: { name: 'info', style: 'green' },
  40: { name: 'warn', style: 'yellow' },
  50: { name: 'error', style: 'red' },
  60: { name: 'fatal', style: 'red' },
};

/** Takes away the bar that may stand in the line. */
const CLEAR_LINE = '\r\x1b[2K';

/** Lines of JSON for programs; on a terminal, lines for people. */
export function logStream(target: LogTarget): { write(line: string): void } {
  if (!target.isTTY) return { write: (line) => void target.write(line) };
  return { write: (line) => void target.write(`${CLEAR_LINE}${forPeople(line)}`) };
}

function forPeople(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line);
  const { name, style } = LEVELS[level] ?? { name: String(level), style: 'white' };
  const facts = Object.entries(rest)
    .filter(([key]) => key !== 'pid' && key !== 'hostname')
    .map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const head = `${new Date(time).toTimeString().slice(0, 8)} ${styleText(style, name.padEnd(5))} ${msg}`;
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${[head, ...facts].join(' ')}${stack}\n`;
}
