import type { Random } from '../../src/engine/random.js';
import { type Post, post } from './post.js';

/** Something that somebody with read access may send. */
export interface Attack extends Post {
  name: string;
  path: string;
}

const FIELDS = ['year', 'topic', 'n', 'absent', 'a.b.c', '__proto__', 'constructor'];
const OPERATORS = ['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists'];
const WORDS = ['anemia', 'iron', 'heart', 'lung', 'blood', 'vein', 'kidney', 'liver', 'brain', 'nerve'];

/** A filter with about so many conditions; some are wrong. */
function randomFilter(random: Random, conditions: number): unknown {
  const draw = <T>(from: readonly T[]): T => from[random.integer(from.length)];
  const value = (): unknown =>
    draw<() => unknown>([
      () => random.integer(3000),
      () => draw(WORDS),
      () => null,
      () => random.uniform() < 0.5,
      () => 'x'.repeat(random.integer(2000)),
    ])();
  const condition = (): unknown => {
    const operator = draw(OPERATORS);
    const operand = operator.endsWith('in') ? Array.from({ length: random.integer(20) }, value) : value();
    return random.uniform() < 0.3 ? value() : { [operator]: operand };
  };
  if (conditions <= 1) return { [draw(FIELDS)]: condition() };
  const shape = random.integer(4);
  if (shape === 0) return { $not: randomFilter(random, conditions - 1) };
  const parts = Math.min(conditions, 2 + random.integer(shape === 1 ? 4 : conditions));
  const each = Math.max(1, Math.floor(conditions / parts));
  return {
    [draw(['$or', '$and'])]: Array.from({ length: parts }, () => randomFilter(random, each)),
  };
}

/** The next thing to try. */
export function randomAttack(random: Random): Attack {
  const words = (n: number): string =>
    Array.from({ length: n }, () => WORDS[random.integer(WORDS.length)]).join(' ');
  const size = (most: number): number => Math.ceil(most ** random.uniform());
  const mode = ['bm25', 'dense', 'hybrid'][random.integer(3)];
  const search = (name: string, body: object): Attack => ({
    name,
    path: '/v1/search',
    body: JSON.stringify({ mode, k: size(50), ...body }),
  });
  const kinds: (() => Attack)[] = [
    () => search('search', { query: words(size(600)) }),
    () => search('filtered', { query: words(3), filter: randomFilter(random, size(1500)) }),
    () => search('batch', { queries: Array.from({ length: size(200) }, () => words(size(20))) }),
    () =>
      search('filtered batch', {
        queries: Array.from({ length: size(100) }, () => words(3)),
        filter: { n: random.integer(5000) },
      }),
    () =>
      search('wide $or', {
        query: words(2),
        filter: { $or: Array.from({ length: size(100_000) }, (_, i) => ({ n: { $gt: 9e9 + i } })) },
      }),
    () => search('large $in', { query: words(2), filter: { topic: { $in: ['x'.repeat(size(8e6))] } } }),
    () => ({
      name: 'embeddings',
      path: '/v1/embeddings',
      body: JSON.stringify({ input: Array.from({ length: size(60) }, () => words(size(100))) }),
    }),
    () => ({
      name: 'long embedding',
      path: '/v1/embeddings',
      body: JSON.stringify({ input: 'iron '.repeat(size(180_000)) }),
    }),
    () => ({
      name: 'numbers',
      path: ['/v1/embeddings', '/v2/rerank', '/v1/search'][random.integer(3)],
      body: `{"input":[${'1,'.repeat(size(3_000_000))}1]}`,
    }),
    () => ({
      name: 'rerank',
      path: '/v2/rerank',
      body: JSON.stringify({ query: words(3), documents: Array.from({ length: size(60) }, () => words(30)) }),
    }),
    () => ({
      name: 'unknown fields',
      path: '/v1/search',
      body: `{"query":"a",${Array.from({ length: size(50_000) }, (_, i) => `"f${i}":1`).join(',')}}`,
    }),
    () => ({ name: 'brackets', path: '/v1/search', body: '['.repeat(size(1_900_000)) }),
  ];
  const attack = kinds[random.integer(kinds.length)]();
  return random.uniform() < 0.4 ? { ...attack, leaveAfterMs: random.integer(300) } : attack;
}

/** Sends it; gives the status, or 0 where the socket was closed before an answer. */
export function attack(url: string, { path, ...sent }: Attack): Promise<number> {
  return post(`${url}${path}`, sent, false);
}
