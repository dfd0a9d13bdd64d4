import { NearmissError } from '../base/errors.js';
import { ApiError } from './api-error.js';

/** Says that a write was not taken, without telling where the server keeps things. */
export async function storing<T>(write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    if (!(error instanceof NearmissError) || error instanceof ApiError) throw error;
    const options = { hint: error.hint, cause: error };
    throw new ApiError(507, 'insufficient_storage', 'the change could not be stored', options);
  }
}
