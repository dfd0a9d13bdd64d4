import { UsageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import type { MeasureFamily, MeasureParameters } from './measures/families.js';

type Kind = 'grade' | 'truth' | 'text' | 'share' | 'positive' | 'table';

const KINDS: Record<keyof MeasureParameters, Kind> = {
  rel: 'grade',
  judged_only: 'truth',
  relative: 'truth',
  dcg: 'text',
  scope: 'text',
  p: 'share',
  beta: 'positive',
  gains: 'table',
};

/** Every way of writing a value: what to expect, in words, and how to read it (undefined: it is not one). */
const READERS: Record<Kind, { expected: string; read: (text: string) => unknown }> = {
  grade: {
    expected: 'a whole number from 0',
    read: (text) => (/^\d+$/.test(text) ? Number(text) : undefined),
  },
  truth: {
    expected: 'True or False',
    read: (text) => ({ true: true, false: false })[text.toLowerCase()],
  },
  text: { expected: "a text in quotes such as 'log2'", read: (text) => /^(['"])(.*)\1$/.exec(text)?.[2] },
  share: {
    expected: 'a number between 0 and 1',
    read: (text) => (text !== '' && Number(text) > 0 && Number(text) < 1 ? Number(text) : undefined),
  },
  positive: {
    expected: 'a number above 0',
    read: (text) => (Number(text) > 0 ? Number(text) : undefined),
  },
  table: { expected: 'grades with gains such as {0:0,1:3,2:7}', read: readTable },
};

/** Reads what stands in the parentheses of a measure's name: `rel=2, judged_only=True`. */
export function parseParameters(
  measure: string,
  family: MeasureFamily,
  text: string | undefined,
): MeasureParameters {
  const parameters: Record<string, unknown> = {};
  if (text === undefined || text.trim() === '') return parameters;
  // A comma inside braces belongs to the value.
  for (const part of text.split(/,(?![^{]*\})/)) {
    const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/s.exec(part) ?? [];
    if (name === undefined) {
      throw new UsageError(
        `measure "${measure}": expected name=value in the parentheses, got "${part.trim()}"`,
      );
    }
    const known = family.parameters.find((parameter) => parameter === name);
    if (!known) throw unknownParameter(measure, family, name);
    const { expected, read } = READERS[KINDS[known]];
    const parsed = read(value);
    if (parsed === undefined) {
      throw new UsageError(
        `measure "${measure}": parameter "${name}": expected ${expected}, got ${value || 'nothing'}`,
      );
    }
    parameters[name] = parsed;
  }
  return parameters;
}

function readTable(text: string): Map<number, number> | undefined {
  const inside = /^\{(.*)\}$/s.exec(text)?.[1];
  if (inside === undefined) return undefined;
  const table = new Map<number, number>();
  for (const pair of inside.split(',')) {
    const [, grade, gain] = /^\s*(\d+)\s*:\s*(-?[\d.]+)\s*$/.exec(pair) ?? [];
    if (grade === undefined || !Number.isFinite(Number(gain))) return undefined;
    table.set(Number(grade), Number(gain));
  }
  return table;
}

function unknownParameter(measure: string, family: MeasureFamily, name: string): UsageError {
  const { parameters } = family;
  const near = suggest(name, parameters);
  const all = parameters.length > 0 ? `it takes ${parameters.join(', ')}` : 'it takes none';
  return new UsageError(`measure "${measure}": ${family.name} has no parameter "${name}"`, {
    hint: near ? `did you mean ${near}?` : all,
  });
}
