/** A value of a recipe file together with where it was said. */
export type OriginNode = OriginScalar | OriginMap | OriginList;

interface OriginScalar {
  kind: 'scalar';
  origin: string;
  value: unknown;
}

export interface OriginMap {
  kind: 'map';
  origin: string;
  entries: Map<string, OriginNode>;
}

interface OriginList {
  kind: 'list';
  origin: string;
  items: OriginNode[];
}

/** The origin of what a command line sets. */
export const SET_ORIGIN = '--set';

/** Keys from the root of a recipe to a value in it. */
export type Keys = readonly PropertyKey[];

/** How one layer lies on another, where that depends on the place. */
export interface MergeRules {
  /** What of a mapping still holds under the one above it; all of it unless told otherwise. */
  inherited?(under: OriginMap, over: OriginMap, keys: Keys): OriginMap;
  /** Whether a list adds to the one below it instead of replacing it. */
  adds?(keys: Keys): boolean;
}

/**
 * Lays `over` on `under`: mappings are merged key by key, everything else, lists included, is replaced. A `null`
 * takes back what was said below it, so that the default holds again.
 *
 * @param keys where the two stand
 */
export function merge(under: OriginMap, over: OriginMap, rules: MergeRules = {}, keys: Keys = []): OriginMap {
  const entries = new Map((rules.inherited?.(under, over, keys) ?? under).entries);
  for (const [key, node] of over.entries) {
    const below = entries.get(key);
    const path = [...keys, key];
    if (isNull(node)) entries.delete(key);
    else if (node.kind === 'list' && below?.kind === 'list' && rules.adds?.(path)) {
      entries.set(key, { ...node, items: addedTo(below.items, node.items) });
    } else if (node.kind !== 'map') entries.set(key, node);
    else {
      const nothing = { ...node, entries: new Map() };
      entries.set(key, merge(below?.kind === 'map' ? below : nothing, node, rules, path));
    }
  }
  return { kind: 'map', origin: over.origin, entries };
}

/** Both lists' items, none twice. */
function addedTo(under: readonly OriginNode[], over: readonly OriginNode[]): OriginNode[] {
  return [...new Map([...under, ...over].map((item) => [JSON.stringify(plain(item)), item])).values()];
}

function isNull(node: OriginNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** The value without its origins, and without what is `null`: as if it had not been said. */
export function plain(node: OriginNode): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  const said = [...node.entries].filter(([, child]) => !isNull(child));
  return Object.fromEntries(said.map(([key, child]) => [key, plain(child)]));
}

/** What stands at a path, or undefined where nothing was said. */
export function find(root: OriginNode, keys: Keys): OriginNode | undefined {
  let node: OriginNode | undefined = root;
  for (const key of keys) {
    if (node?.kind === 'map') node = node.entries.get(String(key));
    else if (node?.kind === 'list') node = node.items[Number(key)];
    else return undefined;
  }
  return node && isNull(node) ? undefined : node;
}

/** Where a value was said, or else what is around it. */
export function nearestOrigin(root: OriginNode, keys: Keys): string {
  for (let length = keys.length; length > 0; length--) {
    const node = find(root, keys.slice(0, length));
    if (node) return node.origin;
  }
  return root.origin;
}
