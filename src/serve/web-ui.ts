import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { packageFile } from '../base/package-files.js';
import { ApiError } from './api-error.js';

/** Where the build puts the browser's files. */
const WEB_FOLDER = fileURLToPath(packageFile('dist/web/'));

/** Below these everything is JSON, also what is not there. */
const API_PATH = /^(?:\/collections\/[^/?]+)?\/(?:v1|metrics|openapi\.json)(?:[/?]|$)/;

/** Serves the UI where it has been built: its files, and its page for every path that the page itself understands. */
export async function registerWebUi(app: FastifyInstance, folder = WEB_FOLDER): Promise<void> {
  const built = existsSync(`${folder}/index.html`);
  if (built) {
    app.route({
      method: ['GET', 'HEAD'],
      url: '/*',
      config: { access: 'public' },
      schema: { hide: true },
      handler: (request, reply) => sendFile(request, reply, { folder, path: request.url.split('?', 1)[0] }),
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (built && wantsPage(request)) return sendFile(request, reply, { folder, path: '/index.html' });
    throw new ApiError(404, 'not_found', `there is no ${request.method} ${pathOf(request)}`, {
      hint: built ? 'see /docs' : 'see /openapi.json; the web UI has not been built',
    });
  });
}

async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { folder, path }: { folder: string; path: string },
): Promise<FastifyReply> {
  // Imported when the first file is asked for: a server without a browser needs none of it.
  const { default: send } = await import('@fastify/send');
  const found = await send(request.raw, path, { root: folder, dotfiles: 'ignore', cacheControl: false });
  if (found.type === 'file') {
    // Names of assets have a hash of their content in them.
    const lasting = found.metadata.path.includes('/assets/');
    return reply
      .code(found.statusCode)
      .headers(found.headers)
      .header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
      .send(found.stream);
  }
  if (found.type === 'error' && found.statusCode !== 404) throw found.metadata.error;
  reply.callNotFound();
  return reply;
}

/** A path without a file's ending that a browser asks for as a page. */
function wantsPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  if (API_PATH.test(request.url)) return false;
  return request.headers.accept?.includes('text/html') === true || pathOf(request) === '/';
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0].slice(0, 200);
}
