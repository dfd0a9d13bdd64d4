/** As much of OpenAPI as the server's own description uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  default?: unknown;
  const?: unknown;
  enum?: readonly unknown[];
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  allOf?: readonly Schema[];
  minimum?: number;
  maximum?: number;
}

export interface Parameter {
  name: string;
  in: string;
  required?: boolean;
  description?: string;
  schema: Schema;
}

export interface Content {
  content?: Readonly<Record<string, { schema: Schema }>>;
}

export interface Described {
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: Content;
  responses?: Readonly<Record<string, Content>>;
}

export interface OpenApi {
  info: { version: string };
  tags?: readonly { name: string; description?: string }[];
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components?: { schemas?: Readonly<Record<string, Schema>> };
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One thing that can be asked of the server. */
export interface Operation extends Described {
  id: string;
  method: string;
  path: string;
}

/** A field of what is sent or answered, with those inside it after it. */
export interface FieldRow {
  /** From the whole on: `hits[].title`. */
  path: string;
  type: string;
  isRequired: boolean;
  text: string;
}

const JSON_TYPE = 'application/json';
/** Fields inside fields inside fields: what is deeper can be read in `/openapi.json`. */
const DEEPEST = 4;
const VALUES_TOLD = 12;

/** All operations by their tag, in the order of the description. */
export function operationsByTag(api: OpenApi): { name: string; text: string; operations: Operation[] }[] {
  const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, described]): Operation => ({
        ...described,
        id: `${method}${path.replace(/[^a-zA-Z0-9]+/g, '-')}`.replace(/-$/, ''),
        method: method.toUpperCase(),
        path,
      }),
    ),
  );
  const texts = new Map(api.tags?.map(({ name, description = '' }) => [name, description]));
  const names = new Set([...texts.keys(), ...operations.flatMap(({ tags = [] }) => tags)]);
  return [...names]
    .map((name) => ({
      name,
      text: texts.get(name) ?? '',
      operations: operations.filter(({ tags = [] }) => tags[0] === name),
    }))
    .filter((tag) => tag.operations.length > 0);
}

/** The JSON of a body or an answer; `undefined` where it is something else. */
export function jsonOf(content: Content | undefined): Schema | undefined {
  return content?.content?.[JSON_TYPE]?.schema;
}

/** The fields of a schema, those inside others after them. */
export function fieldRows(schema: Schema, schemas: Schemas, above = '', depth = 0): FieldRow[] {
  const { properties, required, items, parts } = open(schema, schemas);
  if (depth > DEEPEST) return [];
  if (items !== undefined) return fieldRows(items, schemas, `${above}[]`, depth);
  const rows = Object.entries(properties ?? {}).flatMap(([name, field]): FieldRow[] => {
    const path = above === '' ? name : `${above}.${name}`;
    const { description = '', default: usual } = { ...open(field, schemas).whole, ...field };
    const text = [
      description,
      usual === undefined ? '' : `Default ${JSON.stringify(usual)}.`,
      rangeOf(field),
    ];
    const row = {
      path,
      type: typeName(field, schemas),
      isRequired: required?.includes(name) ?? false,
      text: text.filter(Boolean).join(' '),
    };
    return [row, ...fieldRows(field, schemas, path, depth + 1)];
  });
  const seen = new Set(rows.map(({ path }) => path));
  // Of alternatives each field is told once.
  for (const part of parts) {
    for (const row of fieldRows(part, schemas, above, depth)) {
      if (seen.has(row.path)) continue;
      seen.add(row.path);
      rows.push(row);
    }
  }
  return rows;
}

/** What a value is, in a word or two. */
export function typeName(schema: Schema, schemas: Schemas): string {
  const { whole, items, parts } = open(schema, schemas);
  if (whole.const !== undefined) return JSON.stringify(whole.const);
  if (whole.enum !== undefined) {
    const values = whole.enum.slice(0, VALUES_TOLD).map((value) => JSON.stringify(value));
    return `${values.join(' | ')}${whole.enum.length > VALUES_TOLD ? ' | …' : ''}`;
  }
  if (items !== undefined) return `list of ${typeName(items, schemas)}`;
  if (parts.length > 0) return [...new Set(parts.map((part) => typeName(part, schemas)))].join(' or ');
  return whole.type ?? 'anything';
}

/** A body to begin with: what is required, or else the first field. */
export function exampleOf(schema: Schema, schemas: Schemas): unknown {
  const { whole, properties, required = [], items, parts } = open(schema, schemas);
  if (whole.default !== undefined) return whole.default;
  if (whole.const !== undefined) return whole.const;
  if (whole.enum !== undefined) return whole.enum[0];
  if (items !== undefined) return [exampleOf(items, schemas)];
  if (parts.length > 0) return exampleOf(parts[0], schemas);
  if (properties !== undefined) {
    const names = required.length > 0 ? required : Object.keys(properties).slice(0, 1);
    return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name], schemas)]));
  }
  const plain: Record<string, unknown> = {
    string: 'a text',
    integer: 1,
    number: 1,
    boolean: true,
    null: null,
  };
  return plain[whole.type ?? ''] ?? {};
}

function rangeOf({ minimum, maximum }: Schema): string {
  // What no number can go beyond is no bound.
  const isBound = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  if (isBound(minimum) && isBound(maximum)) return `${minimum} to ${maximum}.`;
  if (isBound(maximum)) return `At most ${maximum}.`;
  return isBound(minimum) && minimum !== 0 ? `At least ${minimum}.` : '';
}

/** What a schema says itself, names looked up. */
function open(schema: Schema, schemas: Schemas) {
  const name = schema.$ref?.split('/').at(-1);
  const whole = name === undefined ? schema : (schemas[name] ?? {});
  const { properties, required, items, anyOf = [], oneOf = [], allOf = [] } = whole;
  return { whole, properties, required, items, parts: [...anyOf, ...oneOf, ...allOf] };
}
