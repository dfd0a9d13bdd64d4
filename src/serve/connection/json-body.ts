import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.js';

/** The name as it may be spelt in JSON; where it does not stand, nothing has to be looked for. */
const POISON = /(?:_|\\u005f){2}proto(?:_|\\u005f){2}/i;
const FORBIDDEN = '__proto__';
/** A thousand documents with a hundred fields each. */
const MOST_FIELDS = 100_000;
const FIELD_END = /"[ \t\r\n]*:/g;
/** A shorter text cannot hold too many. */
const FEW_CHARACTERS = 4 * MOST_FIELDS;

/** Reads bodies, and says what is wrong with them and where: the framework calls all of it invalid JSON. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    // Clients that say JSON of every request say it of those without a body, too.
    const needsNone = request.routeOptions.schema?.body === undefined;
    try {
      done(null, body === '' && needsNone ? undefined : parseBody(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(text: string): unknown {
  if (text === '') throw refused('expected JSON, got nothing');
  if (text.length > FEW_CHARACTERS) checkFields(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(`not valid JSON: ${(error as Error).message.slice(0, 200)}`, error);
  }
  if (POISON.test(text)) refuseForbidden(value);
  return value;
}

/** A field of this name would change what every object has, wherever somebody copies it without care. */
function refuseForbidden(body: unknown): void {
  const waiting: [path: string, value: object][] = [];
  const look = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) waiting.push([path, value]);
  };
  look('', body);
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, value] = next;
    if (Array.isArray(value)) {
      // Most elements are no objects: nothing is made of these.
      for (let i = 0; i < value.length; i++)
        if (typeof value[i] === 'object') look(placeIn(path, i), value[i]);
      continue;
    }
    for (const key of Object.keys(value)) {
      if (key === FORBIDDEN) {
        throw refused(`field "${placeIn(path, key)}": no field can have the name ${FORBIDDEN}`);
      }
      look(placeIn(path, key), (value as Record<string, unknown>)[key]);
    }
  }
}

function placeIn(path: string, key: string | number): string {
  return (path === '' ? String(key) : `${path}.${key}`).slice(-200);
}

/** Making an object of very many fields holds everybody up: they are counted before. */
function checkFields(text: string): void {
  let fields = 0;
  for (const { index } of text.matchAll(FIELD_END)) {
    if (isEscaped(text, index)) continue;
    fields++;
    if (fields > MOST_FIELDS) {
      throw new ApiError(413, 'too_large', `body: expected at most ${MOST_FIELDS} fields, got more`, {
        hint: 'send it in several requests',
      });
    }
  }
}

/** Whether what stands at a place of a JSON text is part of a string: behind an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let before = at;
  while (text[before - 1] === '\\') before--;
  return (at - before) % 2 === 1;
}

function refused(message: string, cause?: unknown): ApiError {
  return new ApiError(400, 'bad_request', `body: ${message}`, { hint: 'see /docs', cause });
}
