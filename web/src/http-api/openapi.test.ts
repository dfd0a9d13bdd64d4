import { expect, test } from 'vitest';
import { exampleOf, fieldRows, operationsByTag, type Schema, typeName } from './openapi.js';

const schemas = {
  Hit: {
    type: 'object',
    description: 'A document that was found.',
    properties: { id: { type: 'string' }, score: { type: 'number' } },
    required: ['id'],
  },
} satisfies Record<string, Schema>;

const answer: Schema = {
  anyOf: [
    { type: 'object', properties: { hits: { type: 'array', items: { $ref: '#/components/schemas/Hit' } } } },
    {
      type: 'object',
      properties: {
        k: { type: 'integer', default: 10, minimum: 1, maximum: 50 },
        mode: { enum: ['bm25', 'dense'] },
      },
      required: ['k'],
    },
  ],
};

test('fields of alternatives and of named parts, those inside others after them', () => {
  expect(fieldRows(answer, schemas)).toEqual([
    { path: 'hits', type: 'list of object', isRequired: false, text: '' },
    { path: 'hits[].id', type: 'string', isRequired: true, text: '' },
    { path: 'hits[].score', type: 'number', isRequired: false, text: '' },
    { path: 'k', type: 'integer', isRequired: true, text: 'Default 10. 1 to 50.' },
    { path: 'mode', type: '"bm25" | "dense"', isRequired: false, text: '' },
  ]);
});

test('a schema that has itself in it comes to an end', () => {
  const tree: Schema = { type: 'object', properties: { below: { $ref: '#/components/schemas/Tree' } } };
  expect(fieldRows(tree, { Tree: tree }).at(-1)?.path).toBe('below.below.below.below.below');
});

test('types in words, and a body to begin with', () => {
  expect(typeName({ anyOf: [{ type: 'string' }, { type: 'null' }] }, schemas)).toBe('string or null');
  expect(exampleOf({ $ref: '#/components/schemas/Hit' }, schemas)).toEqual({ id: 'a text' });
  expect(exampleOf(answer, schemas)).toEqual({ hits: [{ id: 'a text' }] });
});

test('operations by their tag, also by one that nobody has described', () => {
  const api = {
    info: { version: '1' },
    tags: [{ name: 'search', description: 'Finding' }, { name: 'unused' }],
    paths: {
      '/v1/search': { post: { tags: ['search'] }, get: { tags: ['search'] } },
      '/v1/runs/{run}': { get: { tags: ['runs'] } },
    },
  };
  expect(operationsByTag(api).map(({ name, operations }) => [name, operations.map(({ id }) => id)])).toEqual([
    ['search', ['post-v1-search', 'get-v1-search']],
    ['runs', ['get-v1-runs-run']],
  ]);
});
