import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { Recipe } from '../recipe.js';
import type { recipeMapping } from './schema.js';

test('the schema gives exactly what the types say (checked by tsc)', () => {
  expectTypeOf<z.output<ReturnType<typeof recipeMapping>>>().toEqualTypeOf<Recipe>();
});
