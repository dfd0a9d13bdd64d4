import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { isObject } from '../../base/is-object.js';
import type { Kind } from '../../base/registry.js';
import { mapping, oneOf, text } from '../../base/settings.js';
import type { Axis } from '../axis-places.js';
import { dependent, once } from './dependent.js';

export interface ReadOptions {
  /**
   * Lets kinds pass that are not registered, with their options as they are: a run can be looked at without the
   * modules that it was trained with.
   */
  unknownKinds?: boolean;
}

export interface ChoiceOptions extends ReadOptions {
  axis: Axis;
  /** What the field that names the kind is for. */
  meaning: string;
  /** Other fields of the mapping, which stand before the kind's name or after its options. */
  before?: z.ZodRawShape;
  after?: z.ZodRawShape;
  /** The kind that is meant where none is named. */
  otherwise?: (value: Readonly<Record<string, unknown>>) => string | undefined;
  /** Whether naming no kind is fine although none is meant. */
  optional?: boolean;
  /** What the mapping changes parts of; what it does not say stays unsaid. */
  changes?: Readonly<Record<string, unknown>>;
}

/** A setting that chooses a value of an axis: the kind's name, and the options that this kind has. */
export function choice<T>(options: ChoiceOptions): z.ZodPipe<z.ZodUnknown, z.ZodTransform<T, unknown>> {
  const { axis, meaning, before = {}, after = {}, otherwise, optional, changes, unknownKinds } = options;
  const tagField = (name: string | undefined): z.ZodType => {
    const tag = tagSetting(axis, unknownKinds).describe(meaning);
    if (optional || changes) return tag.optional();
    return name === undefined ? tag : tag.default(name);
  };
  /** The fields of a kind, or of any where it is not known. */
  const shapeOf = (name?: string, kind?: Kind): z.ZodRawShape => {
    if (kind) requireFree(kind, { ...before, ...after });
    return { ...before, [axis.tag]: tagField(name), ...kind?.options, ...after };
  };
  const ofKind = once((name) => {
    const shape = shapeOf(name, axis.registry.get(name));
    return ignoringIdle(mapping(shape), shape, axis);
  });
  const choose = (value: unknown): z.ZodType => {
    if (!isObject(value)) return mapping({});
    const named = value[axis.tag] ?? otherwise?.(value);
    const name = named === undefined ? undefined : String(named);
    const kind = name === undefined ? undefined : axis.registry.find(name);
    if (kind && changes) {
      const shape = shapeOf(name, kind);
      return ignoringIdle(mapping(changing(shape, { kind, value, changes })), shape, axis);
    }
    if (kind) return ofKind(kind.name);
    return name === undefined && optional ? mapping(shapeOf()) : z.looseObject(shapeOf(name));
  };
  return dependent<T>(choose, { as: () => mapping(shapeOf(otherwise?.({}))), axis });
}

function tagSetting({ registry }: Axis, unknownKinds = false): z.ZodType {
  const { names } = registry;
  if (unknownKinds) return text(`the name of a ${registry.axis}`);
  if (names.length > 0) return oneOf(...(names as [string, ...string[]]));
  const expected = `a ${registry.axis}, and a module that registers one (none comes with nearmiss)`;
  return z.never({ error: expected }).meta({ expected });
}

function requireFree({ name, options }: Kind, others: z.ZodRawShape): void {
  const taken = Object.keys(options).find((option) => option in others);
  if (taken === undefined) return;
  throw new NearmissError(`${name}: the option "${taken}" has the name of a setting beside it`, {
    hint: 'call the option otherwise where the kind is registered',
  });
}

/** What a mapping that changes another may and must say: no defaults, but what the other cannot give. */
function changing(
  shape: z.ZodRawShape,
  {
    kind,
    value,
    changes,
  }: { kind: Kind; value: Record<string, unknown>; changes: Readonly<Record<string, unknown>> },
): z.ZodRawShape {
  const missing = Object.entries(kind.options)
    .filter(([name, option]) => !(name in changes) && !z.safeParse(option, undefined).success)
    .map(([name]) => name);
  const wanted = new Set([...Object.keys(value), ...missing]);
  return Object.fromEntries(Object.entries(shape).filter(([name]) => wanted.has(name)));
}

function ignoringIdle(schema: z.ZodType, shape: z.ZodRawShape, { idle = {} }: Axis): z.ZodType {
  return z.preprocess((value) => {
    const said = Object.entries(value as object);
    return Object.fromEntries(said.filter(([name, given]) => name in shape || idle[name] !== given));
  }, schema);
}
