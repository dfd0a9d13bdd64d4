import { isObject } from '../../base/is-object.js';

type Fields = Record<string, unknown>;

/** A value in a record, and the name under which it stands there. */
export interface Found {
  name: string;
  value: unknown;
}

/**
 * The value that a person means by a name, in any case: a field of that name, or what stands inside others, written with
 * dots (`answer.text`, `messages.0.content`).
 */
export function fieldAt(fields: Fields, wanted: string): Found | undefined {
  const own = ownName(fields, wanted);
  if (own !== undefined) return { name: own, value: fields[own] };
  for (let dot = wanted.indexOf('.'); dot > 0; dot = wanted.indexOf('.', dot + 1)) {
    const outer = ownName(fields, wanted.slice(0, dot));
    const inside = outer === undefined ? undefined : asFields(fields[outer]);
    const found = inside && fieldAt(inside, wanted.slice(dot + 1));
    if (found) return { name: `${outer}.${found.name}`, value: found.value };
  }
  return undefined;
}

/** How deep the names of an error go, and how many items of a list it shows: enough to see the shape. */
const SHOWN_DEPTH = 4;
const SHOWN_ITEMS = 2;

/** The names of all values of a record, as {@link fieldAt} takes them. */
export function fieldNames(fields: Fields, depth = SHOWN_DEPTH): string[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const inside = depth > 1 && !isTextList(value) ? asFields(value) : undefined;
    if (inside === undefined) return [name];
    const shown = Array.isArray(value)
      ? Object.fromEntries(Object.entries(inside).slice(0, SHOWN_ITEMS))
      : inside;
    return fieldNames(shown, depth - 1).map((inner) => `${name}.${inner}`);
  });
}

/** The record without some of its values; what holds nothing else goes with them. */
export function withoutFields(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
      if (names.includes(name)) return [];
      const inner = names
        .filter((each) => each.startsWith(`${name}.`))
        .map((each) => each.slice(name.length + 1));
      if (inner.length === 0 || !isObject(value)) return [[name, value]];
      const rest = withoutFields(value, inner);
      return Object.keys(rest).length === 0 ? [] : [[name, rest]];
    }),
  );
}

function ownName(fields: Fields, wanted: string): string | undefined {
  if (Object.hasOwn(fields, wanted)) return wanted;
  const plain = plainName(wanted);
  return Object.keys(fields).find((name) => plainName(name) === plain);
}

function asFields(value: unknown): Fields | undefined {
  if (Array.isArray(value)) return { ...value };
  return isObject(value) ? value : undefined;
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** `Sentence 1` and `sentence-1` are `sentence1` to a person, `Negative 2` is `negative_2`. */
export function plainName(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_')
    .replace(/^sentence_(\d)$/, 'sentence$1');
}
