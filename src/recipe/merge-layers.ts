import { type Axis, axisAt, optionsOn } from './axis-places.js';
import { type Keys, type MergeRules, type OriginMap, type OriginNode, plain } from './origin-tree.js';

/** How the layers of a recipe lie on each other: the files of its parents, its own, and the command line. */
export const RECIPE_RULES: MergeRules = {
  inherited(under, over, keys) {
    const axis = axisAt(keys);
    return axis ? withoutForeignOptions(under, over, axis) : under;
  },
  adds: (keys) => keys.length === 1 && keys[0] === 'use',
};

/** Where another kind is chosen than below, options that it does not have are not inherited. */
function withoutForeignOptions(under: OriginMap, over: OriginMap, axis: Axis): OriginMap {
  const [before, chosen] = [under, over].map(({ entries }) => {
    const node = entries.get(axis.tag);
    return node && plain(node);
  });
  const kind = axis.registry.find(String(chosen));
  if (!kind || chosen === before) return under;
  const options = optionsOn(axis);
  const kept = [...under.entries].filter(([name]) => name in kind.options || !options.has(name));
  return { ...under, entries: new Map(kept) };
}

/** Spells out choices that are given by their name alone: `teacher: none` is `teacher: {name: none}`. */
export function spellOut(node: OriginNode, keys: Keys = []): OriginNode {
  if (node.kind === 'map') {
    const entries = [...node.entries].map(([key, child]) => [key, spellOut(child, [...keys, key])] as const);
    return { ...node, entries: new Map(entries) };
  }
  if (node.kind === 'list') {
    return { ...node, items: node.items.map((item, index) => spellOut(item, [...keys, index])) };
  }
  const axis = axisAt(keys);
  if (!axis?.short || typeof node.value !== 'string') return node;
  return { kind: 'map', origin: node.origin, entries: new Map([[axis.tag, node]]) };
}
