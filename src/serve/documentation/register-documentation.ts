import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify';

/** Fastify writes these itself for each answer. */
const OWN_HEADERS = ['connection', 'content-length', 'date', 'transfer-encoding'];

/**
 * `/openapi.json` and a page at `/docs`, from the schemas of the routes. Has to be registered before them. What makes
 * them is imported when somebody asks: it takes as long to load as the rest of the server.
 */
export async function registerDocumentation(app: FastifyInstance, auth: 'none' | 'required'): Promise<void> {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  let made: Promise<FastifyInstance> | undefined;
  const documentation = (): Promise<FastifyInstance> => {
    made ??= import('./documentation-app.js').then(({ createDocumentation }) =>
      createDocumentation(routes, auth),
    );
    return made;
  };
  app.addHook('onClose', async () => (await made)?.close());

  const options = { config: { access: 'public' }, schema: { hide: true } } as const;
  app.get('/openapi.json', options, async () => (await documentation()).swagger());
  await app.register(async (page) => {
    for (const path of ['/docs', '/docs/*']) {
      page.get(path, options, async (request, reply) => sendPage(await documentation(), request, reply));
    }
    // The page sets styles of its own; nothing else about the policy of the UI changes.
    page.addHook('onSend', async (_, reply) => {
      const policy = String(reply.getHeader('content-security-policy') ?? '');
      reply.header('content-security-policy', `${policy};style-src 'self' 'unsafe-inline'`);
    });
  });
}

async function sendPage(
  documentation: FastifyInstance,
  { url, headers }: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const answer = await documentation.inject({ url, headers });
  if (answer.statusCode === 404) {
    reply.callNotFound();
    return reply;
  }
  for (const [name, value] of Object.entries(answer.headers)) {
    if (!OWN_HEADERS.includes(name)) reply.header(name, value);
  }
  // An empty body would be told to have a type.
  return reply.code(answer.statusCode).send(answer.rawPayload.length > 0 ? answer.rawPayload : undefined);
}
