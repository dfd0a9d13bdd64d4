import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Random } from '../engine/random.js';
import { canonicalJson, diffRecipes, fingerprintRecipe, formatDifferences } from './fingerprint.js';
import { loadRecipe } from './load.js';
import { find, merge, type OriginMap, type OriginNode, plain } from './origin-tree.js';
import { leaves, pathText } from './paths.js';
import type { Recipe } from './recipe.js';

const key = fc.constantFrom('a', 'b', 'c', 'd');
const { tree } = fc.letrec<{ tree: Record<string, unknown> }>((tie) => ({
  tree: fc.dictionary(
    key,
    fc.oneof({ maxDepth: 3 }, fc.integer(), fc.array(fc.integer(), { maxLength: 2 }), tie('tree')),
    { maxKeys: 4, noNullPrototype: true },
  ),
}));

function withOrigin(value: unknown, origin: string): OriginNode {
  if (Array.isArray(value)) {
    return { kind: 'list', origin, items: value.map((item) => withOrigin(item, origin)) };
  }
  if (typeof value !== 'object' || value === null) return { kind: 'scalar', origin, value };
  const entries = Object.entries(value).map(([k, child]) => [k, withOrigin(child, origin)] as const);
  return { kind: 'map', origin, entries: new Map(entries) };
}

const layer = (value: unknown, origin: string): OriginMap => withOrigin(value, origin) as OriginMap;

test('merge: the upper layer wins with its origin, the lower one shows where it is silent', () => {
  fc.assert(
    fc.property(tree, tree, (lower, upper) => {
      const [under, over] = [layer(lower, 'lower'), layer(upper, 'upper')];
      const merged = merge(under, over);
      for (const { keys, value } of leaves(upper)) {
        if (typeof value === 'object' && !Array.isArray(value)) continue;
        expect(plain(find(merged, keys)!)).toEqual(value);
        expect(find(merged, keys)!.origin).toBe('upper');
      }
      for (const { keys, value } of leaves(lower)) {
        if (keys.length === 0) continue;
        // Covered where the upper layer says anything but a mapping on the way there.
        const covered = keys.some((_, i) => {
          const node = find(over, keys.slice(0, i + 1));
          return node !== undefined && (node.kind !== 'map' || i === keys.length - 1);
        });
        if (!covered) expect(plain(find(merged, keys)!)).toEqual(value);
        if (!covered) expect(find(merged, keys)!.origin).toBe('lower');
      }
    }),
  );
});

test('merge: nothing adds nothing, and the layers stay as they were', () => {
  fc.assert(
    fc.property(tree, tree, (value, other) => {
      const [node, nothing] = [layer(value, 'x'), layer({}, 'x')];
      expect(merge(node, nothing)).toEqual(node);
      expect(merge(nothing, node)).toEqual(node);
      expect(merge(node, node)).toEqual(node);
      merge(node, layer(other, 'y'));
      expect(plain(node)).toEqual(value);
    }),
  );
});

const whole = fc.integer({ min: 1, max: 1000 });
const overrides = fc.dictionary(
  fc.constantFrom('seed', 'batch.queries', 'stages.warmup.steps', 'stages.bm25-rand.negatives.1.skipRanks'),
  whole.map((value) => value % 40 || 1),
  { noNullPrototype: true },
);

test('--set changes what it names and nothing else', async () => {
  const before = await loadRecipe('bm25-then-bm25-rand');
  await fc.assert(
    fc.asyncProperty(overrides, async (values) => {
      const after = await loadRecipe('bm25-then-bm25-rand', {
        set: Object.entries(values).map(([path, value]) => `${path}=${value}`),
      });
      const expected = new Map(
        leaves(before.recipe).map(({ keys, value }) => [pathText(before.recipe, keys), value]),
      );
      for (const [path, value] of Object.entries(values)) expected.set(path, value);
      const got = leaves(after.recipe).map(({ keys, value }) => [pathText(after.recipe, keys), value]);
      expect(got).toEqual([...expected]);
      for (const [path, origin] of after.origins) {
        expect(origin).toBe(path in values ? '--set' : before.origins.get(path));
      }
    }),
    { numRuns: 30 },
  );
});

function shuffleKeys(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffleKeys(item, random));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([k, child]) => [k, shuffleKeys(child, random)]);
  return Object.fromEntries(random.shuffle(entries) as [string, unknown][]);
}

test('the fingerprint does not depend on the order of keys', async () => {
  const { recipe } = await loadRecipe('bm25-then-bm25-rand');
  const expected = fingerprintRecipe(recipe);
  expect(expected).toMatch(/^[0-9a-f]{64}$/);
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const shuffled = shuffleKeys(recipe, Random.from(seed, 'shuffle')) as Recipe;
      expect(fingerprintRecipe(shuffled)).toBe(expected);
      expect(diffRecipes(recipe, shuffled)).toEqual([]);
    }),
  );
});

test('fingerprints are equal exactly where nothing differs', async () => {
  await fc.assert(
    fc.asyncProperty(overrides, overrides, async (left, right) => {
      const [a, b] = await Promise.all(
        [left, right].map(async (values) => {
          const set = Object.entries(values).map(([path, value]) => `${path}=${value}`);
          return (await loadRecipe('bm25-then-bm25-rand', { set })).recipe;
        }),
      );
      expect(diffRecipes(a, b).length === 0).toBe(fingerprintRecipe(a) === fingerprintRecipe(b));
    }),
    { numRuns: 30 },
  );
});

test('name, description and evidence do not count; order and names of stages do', async () => {
  const { recipe } = await loadRecipe('bm25-then-bm25-rand');
  const same = { ...recipe, name: 'x', description: 'y', evidence: { every: 7 } };
  expect(fingerprintRecipe(same)).toBe(fingerprintRecipe(recipe));
  expect(diffRecipes(recipe, same)).toEqual([]);
  const turned = { ...recipe, stages: recipe.stages.toReversed() };
  expect(fingerprintRecipe(turned)).not.toBe(fingerprintRecipe(recipe));
  expect(formatDifferences(diffRecipes(recipe, turned))).toBe(
    'stages: ["warmup","bm25-rand"] → ["bm25-rand","warmup"]',
  );
});

test('differences are listed by path', async () => {
  const [{ recipe: a }, { recipe: b }] = await Promise.all([
    loadRecipe('ance-firstp'),
    loadRecipe('ance-firstp', {
      set: ['optimizer.learningRate=1e-5', 'stages.ance.negatives.ann.margin=.1', 'model.layers=null'],
    }),
  ]);
  expect(formatDifferences(diffRecipes(a, b))).toBe(
    [
      'model.layers: 3 → nothing',
      'optimizer.learningRate: 0.0001 → 0.00001',
      'stages.ance.negatives.1.margin: nothing → 0.1',
    ].join('\n'),
  );
});

test('canonical JSON sorts at every depth and leaves out what is undefined', () => {
  expect(canonicalJson({ b: [{ d: 1, c: 2 }], a: undefined, A: null })).toBe(
    '{"A":null,"b":[{"c":2,"d":1}]}',
  );
});
