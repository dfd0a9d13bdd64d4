import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import type { Document } from '../../data/index.js';
import { DEFAULT_MAX_WORDS } from '../../text/passage-limits.js';
import { filesWritten } from '../answers/documents.js';
import { errors } from '../answers/errors.js';
import { ApiError } from '../api-error.js';
import { goneSignal, type ServeContext } from '../context.js';
import { documentId, listOf, text } from '../schemas.js';
import { storing } from '../storage-error.js';

/** A file's path in its folder, as `nearmiss serve FOLDER` would name it: never out of it. */
const path = documentId.refine(
  (name) => !/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name),
  'expected a path inside a folder',
);

/** `POST /v1/files`: texts as people have them, cut into passages as a served folder is. */
export const fileRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { admission, index, limits, metrics } = context;

  app.post(
    '/v1/files',
    {
      config: { access: 'write' },
      schema: {
        tags: ['documents'],
        summary: 'Add or replace files',
        description:
          'Markdown, HTML, plain text or code by the ending of its path, cut into passages as those of a served folder are. What the file had before and has no more is removed.',
        body: z.strictObject({
          files: listOf(z.strictObject({ path, text: text(limits.textLength) }), {
            max: limits.batch,
            what: 'files',
          }),
        }),
        response: { 200: filesWritten, ...errors },
      },
    },
    async ({ body: { files } }, reply) => {
      const passages = await passagesIn(files);
      if (passages.length > limits.batch) {
        throw new ApiError(
          413,
          'too_large',
          `the files have ${passages.length} passages, more than ${limits.batch}`,
          {
            hint: 'send fewer of them at once',
          },
        );
      }
      metrics.observeBatch('documents', passages.length);
      return admission.run(
        async () => {
          const live = await index.writer();
          const { version, added, replaced } = await storing(live.upsert(passages));
          const rest = await index.use(async ({ documents }) => restOf(passages, (id) => documents.has(id)));
          const removed = rest.length === 0 ? undefined : await storing(live.remove(rest));
          return {
            version: removed?.version ?? version,
            added,
            replaced,
            passages: passages.length,
            ...(passages[0] && { first: passages[0].id }),
          };
        },
        { signal: goneSignal(reply), size: passages.length },
      );
    },
  );
};

async function passagesIn(files: readonly { path: string; text: string }[]): Promise<Document[]> {
  const [{ passagesOf }, { sectionsIn }] = await Promise.all([
    import('../../data/readers/passages.js'),
    import('../../data/readers/texts/kinds.js'),
  ]);
  return files.flatMap(({ path, text }) => {
    const name = path.replaceAll('\\', '/');
    try {
      return [...passagesOf(name, sectionsIn(name, text), { maxWords: DEFAULT_MAX_WORDS, overlap: 0 })];
    } catch (error) {
      if (!(error instanceof NearmissError)) throw error;
      const { message, hint } = error;
      throw new ApiError(400, 'bad_request', `the file "${name}": ${message}`, { hint, cause: error });
    }
  });
}

/** The passages behind the last one of each file. */
function restOf(passages: readonly Document[], has: (id: string) => boolean): string[] {
  const last = new Map<string, number>();
  for (const { id } of passages) {
    const cut = id.lastIndexOf('#');
    last.set(id.slice(0, cut), Number(id.slice(cut + 1)));
  }
  const rest: string[] = [];
  for (const [file, position] of last) {
    for (let next = position + 1; has(`${file}#${next}`); next++) rest.push(`${file}#${next}`);
  }
  return rest;
}
