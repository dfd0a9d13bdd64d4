import { z } from 'zod';
import type { Keys } from './origin-tree.js';
import { recipeSchema } from './schema.js';

/** A setting of a recipe, as the reference shows it. */
export interface RecipeField {
  /** `optimizer.learningRate`, `stages[].negatives[].depth` */
  path: string;
  /** What values it takes, in words. */
  expected: string;
  /** Undefined where there is none. */
  default?: unknown;
  required: boolean;
  description: string;
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  required?: string[];
  description?: string;
  expected?: string;
  default?: unknown;
}

let root: SchemaNode | undefined;

function schemaRoot(): SchemaNode {
  root ??= z.toJSONSchema(recipeSchema, { io: 'input' }) as SchemaNode;
  return root;
}

/** Every setting, in the order of the schema. */
export function recipeFields(): RecipeField[] {
  return fieldsOf(schemaRoot(), '');
}

function fieldsOf(node: SchemaNode, prefix: string): RecipeField[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const below = [
      ...fieldsOf(child, `${path}.`),
      ...(child.items ? fieldsOf(child.items, `${path}[].`) : []),
    ];
    if (child.description === undefined) return below;
    const field: RecipeField = {
      path,
      expected: child.expected ?? 'a mapping',
      required: node.required?.includes(name) ?? false,
      description: child.description,
      ...(child.default !== undefined && { default: child.default }),
    };
    return [field, ...below];
  });
}

/** The names that a mapping in a recipe takes; `stages.0` and `stages.warmup` are the same kind of mapping. */
export function fieldsBelow(keys: Keys): string[] {
  let node: SchemaNode | undefined = schemaRoot();
  for (const key of keys) node = node?.items ?? node?.properties?.[String(key)];
  return Object.keys(node?.properties ?? {});
}
