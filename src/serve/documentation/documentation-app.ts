import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { CREATED_BY } from '../../base/version.js';

/** On the page's dark bar and in the browser's tab. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 140 24" width="140" height="24"><g fill="none" stroke="#9db2ff" stroke-width="2.2"><circle cx="10.5" cy="13.5" r="8"/><circle cx="10.5" cy="13.5" r="3.2"/></g><circle cx="19.4" cy="4.6" r="3" fill="#ff8a3d"/><text x="32" y="18" fill="#fff" font-family="sans-serif" font-weight="700" font-size="17">nearmiss</text></svg>`;

/** Knows a server's routes and answers nothing but what describes them: `swagger()`, and the page below `/docs`. */
export async function createDocumentation(
  routes: readonly RouteOptions[],
  auth: 'none' | 'required',
): Promise<FastifyInstance> {
  const app = Fastify({ exposeHeadRoutes: false });
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'nearmiss',
        description:
          'Search with words, vectors, both, and a reranker. Every answer names the version of the index.',
        version: CREATED_BY.split(' ')[1],
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags: [
        { name: 'search', description: 'Finding documents' },
        { name: 'documents', description: 'Documents by id, and changes to them' },
        { name: 'vectors', description: 'Vectors of texts' },
        { name: 'server', description: 'What is served and how it is doing' },
      ],
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer' },
          apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        },
      },
      security: auth === 'required' ? [{ bearer: [] }, { apiKey: [] }] : [],
    },
    transform: createJsonSchemaTransform({ skipList: [] }),
    transformObject: jsonSchemaTransformObject,
  });
  const logo = Buffer.from(LOGO);
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: { docExpansion: 'list', deepLinking: true },
    logo: { type: 'image/svg+xml', content: logo, href: '/', target: '_self' },
    theme: {
      title: 'nearmiss: HTTP API',
      favicon: [
        { filename: 'nearmiss.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: logo },
      ],
    },
  });
  for (const { method, url, schema } of routes) {
    if (schema?.hide || method === 'HEAD') continue;
    app.route({ method, url, schema, handler: notAnswered });
  }
  await app.ready();
  return app;
}

/** The server answers its routes itself; here they are described only. */
async function notAnswered(): Promise<never> {
  throw new Error('documentation does not answer requests');
}
