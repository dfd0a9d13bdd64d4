import swagger from '@fastify/swagger';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import { createJsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import { CREATED_BY } from '../../base/version.js';

/** Knows a server's routes and answers nothing: it describes them, by `swagger()`. */
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
        { name: 'judgments', description: 'Which hits people called right or wrong' },
        { name: 'vectors', description: 'Vectors of texts' },
        { name: 'server', description: 'What is served and how it is doing' },
        { name: 'runs', description: 'Trainings, and what came of them' },
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
