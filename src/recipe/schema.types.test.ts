import { expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { Recipe } from './recipe.js';
import type { recipeSchema } from './schema.js';

test('the schema gives exactly what the types say (checked by tsc)', () => {
  expectTypeOf<z.output<typeof recipeSchema>>().toEqualTypeOf<Recipe>();
});
