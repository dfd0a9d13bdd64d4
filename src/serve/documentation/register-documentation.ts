import type { FastifyInstance, RouteOptions } from 'fastify';

/**
 * `/openapi.json`, from the schemas of the routes; the web UI shows it at `/docs`. Has to be registered before them. What
 * makes it is imported when somebody asks: it takes as long to load as the rest of the server.
 */
export function registerDocumentation(app: FastifyInstance, auth: 'none' | 'required'): void {
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
}
