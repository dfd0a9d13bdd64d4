import type { FastifyInstance } from 'fastify';
import { ApiError } from '../api-error.js';

/** The name as it may be spelt in JSON; where it does not stand, nothing has to be looked for. */
const POISON = /(?:_|\\u005f){2}proto(?:_|\\u005f){2}/i;
const FORBIDDEN = '__proto__';

/** Reads bodies, and says what is wrong with them and where: the framework calls all of it invalid JSON. */
export function registerJsonBody(app: FastifyInstance): void {
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_, body, done) => {
    try {
      done(null, parseBody(body as string));
    } catch (error) {
      done(error as Error);
    }
  });
}

function parseBody(text: string): unknown {
  if (text === '') throw refused('expected JSON, got nothing');
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
  const waiting: [path: string, value: unknown][] = [['', body]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [path, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const key of Object.keys(value)) {
      const place = path === '' ? key : `${path}.${key}`;
      if (key === FORBIDDEN) {
        throw refused(`field "${place.slice(-200)}": no field can have the name ${FORBIDDEN}`);
      }
      waiting.push([place.slice(-200), (value as Record<string, unknown>)[key]]);
    }
  }
}

function refused(message: string, cause?: unknown): ApiError {
  return new ApiError(400, 'bad_request', `body: ${message}`, { hint: 'see /docs', cause });
}
