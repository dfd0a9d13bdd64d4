import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { CREATED_BY } from '../base/version.js';

const DOCS = '/docs';

/** `/openapi.json` and a page at `/docs`, from the schemas of the routes. Has to be registered before them. */
export async function registerOpenApi(app: FastifyInstance, auth: 'none' | 'required'): Promise<void> {
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
    transform: createJsonSchemaTransform({ skipList: ['/*'] }),
    transformObject: jsonSchemaTransformObject,
  });
  app.get('/openapi.json', { config: { access: 'public' }, schema: { hide: true } }, async () =>
    app.swagger(),
  );
  await app.register(async (page) => {
    page.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    await page.register(swaggerUi, {
      routePrefix: DOCS,
      uiConfig: { docExpansion: 'list', deepLinking: true },
    });
    // The page sets styles of its own; nothing else about the policy of the UI changes.
    page.addHook('onSend', async (_, reply) => {
      const policy = String(reply.getHeader('content-security-policy') ?? '');
      reply.header('content-security-policy', `${policy};style-src 'self' 'unsafe-inline'`);
    });
  });
}
