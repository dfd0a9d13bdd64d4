import { z } from 'zod';
import { isObject } from '../../base/is-object.js';
import { mapping } from '../../base/settings.js';
import { AXES, type Axis, type AxisName } from '../axis-places.js';
import type { Keys } from '../origin-tree.js';
import { shownOf } from './dependent.js';
import { recipeSchema } from './schema.js';

/** A setting of a recipe, as the reference shows it. */
export interface RecipeField {
  /** `optimizer.learningRate`, `stages[].negatives[].source` */
  path: string;
  /** What values it takes, in words. */
  expected: string;
  /** Undefined where there is none. */
  default?: unknown;
  required: boolean;
  description: string;
  /** The axis whose kinds it names. */
  axis?: AxisName;
}

/** A kind that is registered, with its options. */
export interface KindFields {
  name: string;
  description: string;
  fields: RecipeField[];
}

interface SchemaNode {
  properties?: Record<string, SchemaNode>;
  items?: SchemaNode;
  required?: string[];
  description?: string;
  expected?: string;
  default?: unknown;
  /** Where the mapping chooses a value of an axis. */
  axis?: AxisName;
}

function nodeOf(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, {
    io: 'input',
    override: ({ zodSchema, jsonSchema }) => {
      const shown = shownOf(zodSchema);
      if (!shown) return;
      const { $schema: _, ...node } = nodeOf(shown.as()) as SchemaNode & { $schema?: string };
      Object.assign(
        jsonSchema,
        node,
        shown.many && { items: node },
        shown.axis && { axis: nameOf(shown.axis) },
      );
    },
  }) as SchemaNode;
}

function nameOf(axis: Axis): AxisName {
  return (Object.keys(AXES) as AxisName[]).find((name) => AXES[name] === axis)!;
}

/** Every setting, in the order of the schema. What the kinds of an axis take is in {@link kindsOn}. */
export function recipeFields(): RecipeField[] {
  return fieldsOf(nodeOf(recipeSchema()), '');
}

/** The kinds of an axis that are registered now, and the options that each has. */
export function kindsOn(axis: AxisName): KindFields[] {
  return AXES[axis].registry.kinds.map(({ name, description, options }) => ({
    name,
    description,
    fields: fieldsOf(nodeOf(mapping(options)), ''),
  }));
}

/** @param given whether the mapping itself has to be there, or is there by default */
function fieldsOf(node: SchemaNode, prefix: string, given = true): RecipeField[] {
  return Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const path = `${prefix}${name}`;
    const required = node.required?.includes(name) ?? false;
    const below = child.properties
      ? fieldsOf(child, `${path}.`, given && (required || child.default !== undefined))
      : child.items
        ? fieldsOf(child.items, `${path}[].`)
        : [];
    if (child.description === undefined) return below;
    const field: RecipeField = {
      path,
      expected: child.expected ?? 'a mapping',
      required: given && required,
      description: child.description,
      ...(child.default !== undefined && { default: child.default }),
      ...(node.axis && AXES[node.axis].tag === name && { axis: node.axis }),
    };
    return [field, ...below];
  });
}

/**
 * The names that a mapping in a recipe takes; those of the kind that it names, where it names one.
 *
 * @param raw the recipe
 */
export function fieldsBelow(raw: unknown, keys: Keys): string[] {
  let node: SchemaNode | undefined = nodeOf(recipeSchema());
  let value = raw;
  for (const key of keys) {
    node = typeof key === 'number' ? node?.items : node?.properties?.[String(key)];
    value = (value as Record<PropertyKey, unknown> | undefined)?.[key];
  }
  const axis = node?.axis && AXES[node.axis];
  const kind = axis && isObject(value) ? axis.registry.find(String(value[axis.tag])) : undefined;
  return [...Object.keys(node?.properties ?? {}), ...Object.keys(kind?.options ?? {})];
}
