import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { z } from 'zod';
import type { Document } from '../../data/index.js';
import { fileRead, filesWritten } from '../answers/documents.js';
import { errors } from '../answers/errors.js';
import { ApiError } from '../api-error.js';
import { goneSignal, type ServeContext } from '../context.js';
import { documentId, listOf, text } from '../schemas.js';
import { storing } from '../storage-error.js';

/** A file's path in its folder, as `nearmiss serve FOLDER` would name it: never out of it. */
const path = documentId
  .refine((name) => !/^[/\\]|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(name), 'expected a path inside a folder')
  .transform((name) => name.replaceAll('\\', '/'));

/** Files as people have them, read as those of a served folder are. */
export const fileRoutes: FastifyPluginAsyncZod<{ context: ServeContext }> = async (app, { context }) => {
  const { admission, index, limits, metrics } = context;
  const tags = ['documents'];
  const config = { access: 'write' } as const;

  app.post(
    '/v1/files',
    {
      config,
      schema: {
        tags,
        summary: 'Add or replace files',
        description:
          'Markdown, HTML, plain text or code by the ending of its path, cut into passages as those of a served folder are. What the file had before and has no more is removed. Files that cannot be read are told of; where none can, that is an error.',
        body: z.strictObject({
          files: listOf(z.strictObject({ path, text: text(limits.textLength) }), {
            max: limits.batch,
            what: 'files',
          }),
        }),
        response: { 200: filesWritten, ...errors },
      },
    },
    ({ body: { files } }, reply) =>
      admission.run(
        async (signal) => {
          const { readFiles } = await import('../files/read-files.js');
          const found = await readFiles(
            files.map((file) => ({ path: file.path, content: file.text })),
            signal,
          );
          const problems = found.flatMap((file) => file.problems);
          const passages = found.flatMap(({ documents }) => documents);
          if (passages.length === 0) throw new ApiError(400, 'bad_request', problems[0]);
          checkCount(passages, limits.batch);
          metrics.observeBatch('documents', passages.length);
          const live = await index.writer();
          const { version, added, replaced } = await storing(live.upsert(passages));
          const rest = await index.use(async ({ documents }) => restOf(passages, (id) => documents.has(id)));
          const removed = rest.length === 0 ? undefined : await storing(live.remove(rest));
          return {
            version: removed?.version ?? version,
            added,
            replaced,
            passages: passages.length,
            first: passages[0].id,
            problems,
          };
        },
        { signal: goneSignal(reply), size: files.length },
      ),
  );

  app.addContentTypeParser(
    'application/octet-stream',
    { parseAs: 'buffer', bodyLimit: limits.fileBytes },
    (_, body, done) => done(null, body),
  );
  app.post(
    '/v1/files/read',
    {
      config,
      bodyLimit: limits.fileBytes,
      schema: {
        tags,
        summary: 'Read a file',
        description:
          'The bytes of a file (application/octet-stream): PDF, Excel, CSV, TSV, JSON, JSON lines, Markdown, HTML, text or code by the ending of its path. Answers with the documents in it, for POST /v1/documents; nothing is stored.',
        querystring: z.strictObject({ path }),
        consumes: ['application/octet-stream'],
        body: z
          .unknown()
          .refine((body) => Buffer.isBuffer(body), 'expected the bytes of a file')
          .meta({ type: 'string', format: 'binary' }),
        response: { 200: fileRead, ...errors },
      },
    },
    ({ query, body }, reply) =>
      admission.run(
        async (signal) => {
          const { readFiles } = await import('../files/read-files.js');
          const [{ documents, problems }] = await readFiles(
            [{ path: query.path, content: body as Buffer }],
            signal,
          );
          const gone = await index.use(async (searcher) =>
            restOf(documents, (id) => searcher.documents.has(id)),
          );
          return { documents, problems, gone };
        },
        { signal: goneSignal(reply) },
      ),
  );
};

function checkCount(passages: readonly Document[], most: number): void {
  if (passages.length <= most) return;
  throw new ApiError(413, 'too_large', `the files have ${passages.length} passages, more than ${most}`, {
    hint: 'send fewer of them at once',
  });
}

/** The passages behind the last one of each file. */
function restOf(passages: readonly Document[], has: (id: string) => boolean): string[] {
  const last = new Map<string, number>();
  for (const { id } of passages) {
    const cut = id.lastIndexOf('#');
    if (cut > 0) last.set(id.slice(0, cut), Number(id.slice(cut + 1)));
  }
  const rest: string[] = [];
  for (const [file, position] of last) {
    for (let next = position + 1; has(`${file}#${next}`); next++) rest.push(`${file}#${next}`);
  }
  return rest;
}
