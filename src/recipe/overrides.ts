import { NearmissError, UsageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import { RECIPE_RULES, spellOut } from './merge-layers.js';
import { type Keys, merge, type OriginMap, type OriginNode, plain, SET_ORIGIN } from './origin-tree.js';
import { parseYamlValue } from './recipe-file.js';

/**
 * Applies one `--set path=value`. The value is YAML (`null` goes back to the default); items of a list are named
 * by their number or by their `name` or `source`: `stages.ance.negatives.ann.depth=50`.
 */
export function applyOverride(root: OriginMap, argument: string): OriginMap {
  const fail = (message: string, hint?: string): UsageError =>
    new UsageError(`${SET_ORIGIN} ${argument}: ${message}`, { hint });
  const equals = argument.indexOf('=');
  const keys = argument.slice(0, Math.max(0, equals)).trim().split('.');
  const yaml = argument.slice(equals + 1);
  if (equals < 0 || keys.includes('') || yaml.trim() === '') {
    throw fail(
      'expected path=value',
      'for example --set optimizer.learningRate=1e-5; null goes back to the default',
    );
  }
  let value: OriginNode;
  try {
    value = parseYamlValue(yaml, SET_ORIGIN);
  } catch (error) {
    if (error instanceof NearmissError) throw fail(error.message, 'quote texts that have special characters');
    throw error;
  }
  return replaceAt(root, keys, value, fail) as OriginMap;
}

type Fail = (message: string, hint?: string) => UsageError;

/** A copy of `node` with another value at a path below it. */
function replaceAt(
  node: OriginNode | undefined,
  keys: readonly string[],
  value: OriginNode,
  fail: Fail,
  above: Keys = [],
): OriginNode {
  if (keys.length === 0) return spellOut(value, above);
  const [key, ...rest] = keys;
  if (node?.kind === 'scalar') {
    throw fail(`there is nothing below ${JSON.stringify(node.value)}, got "${keys.join('.')}"`);
  }
  if (node?.kind === 'list') {
    const index = findItem(node.items, key, fail);
    const items = node.items.with(index, replaceAt(node.items[index], rest, value, fail, [...above, index]));
    return { ...node, items };
  }
  const under: OriginMap = node ?? { kind: 'map', origin: SET_ORIGIN, entries: new Map() };
  if (rest.length > 0) {
    const below = replaceAt(under.entries.get(key), rest, value, fail, [...above, key]);
    return { ...under, entries: new Map(under.entries).set(key, below) };
  }
  // As in a file: a mapping is merged into what is there, null takes it back.
  const over = spellOut({ kind: 'map', origin: SET_ORIGIN, entries: new Map([[key, value]]) }, above);
  const merged = merge(under, over as OriginMap, RECIPE_RULES, above);
  return { ...merged, origin: under.origin };
}

function findItem(items: readonly OriginNode[], key: string, fail: Fail): number {
  const names = items.map((item) => {
    const { name, source } = (plain(item) ?? {}) as { name?: unknown; source?: unknown };
    return String(name ?? source ?? '');
  });
  const named = names.indexOf(key);
  if (named >= 0) return named;
  if (/^\d+$/.test(key) && Number(key) < items.length) return Number(key);
  const known = names.filter((name) => name !== '');
  const near = suggest(key, known);
  const all = known.length > 0 ? `${known.join(', ')}, or ` : '';
  throw fail(
    `nothing is called "${key}" in this list`,
    near ? `did you mean ${near}?` : `there are ${all}0 to ${items.length - 1}`,
  );
}
