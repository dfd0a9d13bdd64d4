import { hasCode, NearmissError } from './errors.js';

/**
 * Loads packages that only some need, and that therefore do not come with nearmiss; says how to get them where they are not there.
 *
 * @param what needs them, as the command line or a recipe has it
 */
export async function optionalPackages<T>(
  what: string,
  names: readonly string[],
  load: () => Promise<T>,
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND')) throw error;
    const some = names.length === 1 ? 'a package that does' : `${names.length} packages that do`;
    throw new NearmissError(`${what} needs ${some} not come with nearmiss`, {
      hint: `npm install ${names.join(' ')}`,
      cause: error,
    });
  }
}
