import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { CREATED_BY } from '../base/version.js';

const DOCS = '/docs';

/** On the page's dark bar and in the browser's tab. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 140 24" width="140" height="24"><g fill="none" stroke="#9db2ff" stroke-width="2.2"><circle cx="10.5" cy="13.5" r="8"/><circle cx="10.5" cy="13.5" r="3.2"/></g><circle cx="19.4" cy="4.6" r="3" fill="#ff8a3d"/><text x="32" y="18" fill="#fff" font-family="sans-serif" font-weight="700" font-size="17">nearmiss</text></svg>`;

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
  const logo = Buffer.from(LOGO);
  await app.register(async (page) => {
    page.addHook('onRoute', (route) => {
      route.config = { ...route.config, access: 'public' };
    });
    await page.register(swaggerUi, {
      routePrefix: DOCS,
      uiConfig: { docExpansion: 'list', deepLinking: true },
      logo: { type: 'image/svg+xml', content: logo, href: '/', target: '_self' },
      theme: {
        title: 'nearmiss: HTTP API',
        favicon: [
          { filename: 'nearmiss.svg', rel: 'icon', sizes: 'any', type: 'image/svg+xml', content: logo },
        ],
      },
    });
    // The page sets styles of its own; nothing else about the policy of the UI changes.
    page.addHook('onSend', async (_, reply) => {
      const policy = String(reply.getHeader('content-security-policy') ?? '');
      reply.header('content-security-policy', `${policy};style-src 'self' 'unsafe-inline'`);
    });
  });
}
