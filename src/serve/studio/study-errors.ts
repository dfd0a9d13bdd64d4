import type { FastifyRequest } from 'fastify';
import { NotThereError } from '../../analyze/not-there.js';
import { hasCode, NearmissError } from '../../base/errors.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { ApiError } from '../api-error.js';
import type { RunCatalog } from '../collections/run-catalog.js';
import { hintForPages } from '../hint-for-pages.js';

/** A run that is shown. */
export function runNamed(runs: Pick<RunCatalog, 'directoryOf'>, name: string): RunDirectory {
  const run = runs.directoryOf(name);
  if (run !== undefined) return run;
  throw new ApiError(404, 'not_found', `there is no run "${name}"`, { hint: 'GET /v1/runs lists them' });
}

/** Looks at a run; what goes wrong is told without naming files of the server. */
export async function lookAt<T>(request: FastifyRequest, name: string, look: () => Promise<T>): Promise<T> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof ApiError) throw error;
    if (error instanceof NotThereError) {
      const hint = error.hint && hintForPages(error.hint);
      throw new ApiError(404, 'not_found', error.message, { ...(hint && { hint }), cause: error });
    }
    if (error instanceof NearmissError || hasCode(error, 'ENOENT')) {
      request.log.warn({ err: error, run: name }, 'a run cannot be looked at');
      throw new ApiError(409, 'unavailable', `what "${name}" was made from cannot be read`, {
        hint: 'the server does not find the collection that the run learned from; its log says more',
        cause: error,
      });
    }
    throw error;
  }
}
