import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { packageFile } from '../base/package-files.js';
import { ApiError } from './api-error.js';

/** Where the build puts the browser's files. */
const WEB_FOLDER = fileURLToPath(packageFile('dist/web/'));

/** Below these everything is JSON, also what is not there. */
const API_PATH = /^(?:\/collections\/[^/?]+)?\/(?:v1|metrics|openapi\.json|docs)(?:[/?]|$)/;

/** Serves the UI where it has been built: its files, and its page for every path that the page itself understands. */
export async function registerWebUi(app: FastifyInstance, folder = WEB_FOLDER): Promise<void> {
  const built = existsSync(`${folder}/index.html`);
  if (built) {
    await app.register(async (ui) => {
      ui.addHook('onRoute', (route) => {
        route.config = { ...route.config, access: 'public' };
      });
      await ui.register(fastifyStatic, {
        root: folder,
        dotfiles: 'ignore',
        cacheControl: false,
        setHeaders(response, path) {
          // Names of assets have a hash of their content in them.
          const lasting = path.includes('/assets/');
          response.setHeader('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache');
        },
      });
    });
  }
  app.setNotFoundHandler(async (request, reply) => {
    if (built && wantsPage(request)) return sendPage(reply);
    throw new ApiError(404, 'not_found', `there is no ${request.method} ${pathOf(request)}`, {
      hint: built || API_PATH.test(request.url) ? 'see /docs' : 'see /docs; the web UI has not been built',
    });
  });
}

function sendPage(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-cache').sendFile('index.html', { cacheControl: false });
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
