import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ZodType } from 'zod';
import { describe, hasCode, NearmissError } from './errors.js';
import { writeFileAtomic } from './files.js';
import { fieldsAt } from './schema/fields-at.js';
import { suggest } from './suggest.js';

/** Where a JSON text came from and what to say when it is not as it should be. */
export interface JsonOptions<T> {
  /** Named in every error, usually the file's path. */
  where: string;
  schema: ZodType<T>;
  hint?: string;
}

/**
 * Reads and validates a JSON file; errors name the file, the field, what was expected and what was got.
 *
 * @example
 * const { step } = await readJsonFile('run/state.json', z.object({ step: z.int().min(0) }));
 */
export async function readJsonFile<T>(
  path: string,
  schema: ZodType<T>,
  options: { hint?: string } = {},
): Promise<T> {
  const text = await readFile(path, 'utf8').catch((error) => {
    const reason = hasCode(error, 'ENOENT') ? 'no such file' : `cannot read: ${error.message}`;
    throw new NearmissError(`${path}: ${reason}`, { ...options, cause: error });
  });
  return parseSealedJson(text, { where: path, schema, ...options });
}

/** Writes a value as indented JSON, complete or not at all. */
export async function writeJsonFile(path: string, value: unknown): Promise<void> {
  await writeFileAtomic(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** The last field of a sealed file holds the SHA-256 of all others; the first says so, in case the last is hit itself. */
const SEAL = 'contentSha256';
const SEALED = 'sealed';

/**
 * Like {@link writeJsonFile}, with a checksum that {@link readJsonFile} compares: for what nobody edits, and where a
 * digit that the disk altered would still be a number.
 */
export async function writeSealedJsonFile(path: string, value: object): Promise<void> {
  await writeJsonFile(path, seal(value));
}

/** A value with its checksum, to be written as JSON. */
export function seal(value: object): object {
  const content = { [SEALED]: true, ...value };
  return { ...content, [SEAL]: sealOf(content) };
}

/** Takes the checksum off what was read from a sealed file; an error where it does not fit. Other values stay as they are. */
function unseal(value: unknown, { where, hint }: { where: string; hint?: string }): unknown {
  if (value === null || typeof value !== 'object' || !(SEAL in value || SEALED in value)) return value;
  const { [SEAL]: written, ...content } = value as Record<string, unknown>;
  if (written !== sealOf(content)) {
    throw new NearmissError(`${where}: the file is damaged: its content does not match its checksum`, {
      hint,
    });
  }
  const { [SEALED]: _sealed, ...rest } = content;
  return rest;
}

function sealOf(content: object): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('hex');
}

/** Parses and validates the text of a file that may be sealed. */
export function parseSealedJson<T>(text: string, options: JsonOptions<T>): T {
  return validate(unseal(parseText(text, options), options), options);
}

/** Parses and validates a JSON text. */
export function parseJson<T>(text: string, options: JsonOptions<T>): T {
  return validate(parseText(text, options), options);
}

function parseText(text: string, { where, hint }: { where: string; hint?: string }): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const { line, reason } = explainSyntaxError(text, error as SyntaxError);
    throw new NearmissError(`${where}${line}: not valid JSON: ${reason}`, { hint, cause: error });
  }
}

/** Checks a value that is parsed already, with the same errors. */
export function validate<T>(value: unknown, { where, schema, hint }: JsonOptions<T>): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue.path.length > 0 ? `field "${issue.path.join('.')}": ` : '';
  if (issue.code === 'unrecognized_keys') throw unknownField(issue, { where, schema, hint });
  const expected =
    issue.code === 'invalid_type'
      ? `expected ${issue.expected}`
      : issue.message.replace(/^[A-Z][\w ]*: (?=expected)/, '');
  throw new NearmissError(`${where}: ${field}${expected}, got ${describe(valueAt(value, issue.path))}`, {
    hint,
  });
}

/** How many unknown fields are named. */
const FIELDS_TOLD = 3;

function unknownField(
  { path, keys }: { path: PropertyKey[]; keys: string[] },
  { where, schema, hint }: JsonOptions<unknown>,
): NearmissError {
  const told = keys.slice(0, FIELDS_TOLD).map((key) => JSON.stringify(key.slice(0, 100)));
  const more = keys.length > FIELDS_TOLD ? ` and ${keys.length - FIELDS_TOLD} more` : '';
  const within = path.length > 0 ? `field "${path.join('.')}": ` : '';
  return new NearmissError(
    `${where}: ${within}unknown field${keys.length > 1 ? 's' : ''} ${told.join(', ')}${more}`,
    { hint: [meantField(keys[0], fieldsAt(schema, path)), hint].filter(Boolean).join('; ') || undefined },
  );
}

function meantField(key: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const meant = suggest(key, known);
  return meant === undefined ? `there are ${known.join(', ')}` : `did you mean ${JSON.stringify(meant)}?`;
}

function valueAt(value: unknown, path: PropertyKey[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key], value);
}

function explainSyntaxError(text: string, error: SyntaxError): { line: string; reason: string } {
  const position = / in JSON at position (\d+)/.exec(error.message);
  if (!position) return { line: '', reason: error.message };
  const line = text.slice(0, Number(position[1])).split('\n').length;
  return { line: `:${line}`, reason: error.message.slice(0, position.index) };
}
