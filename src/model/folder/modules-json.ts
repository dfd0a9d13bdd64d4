import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';

/** The modules we know, in the order in which they may follow one another. */
const MODULE_ORDER = ['Transformer', 'Pooling', 'Dense', 'LayerNorm', 'Normalize'] as const;

export type ModuleKind = (typeof MODULE_ORDER)[number];

/** Which modules a sentence-transformers model has, and in which folder (relative, `''` for the root) each is. */
export type ModuleFolders = { Transformer: string; Pooling: string } & Partial<Record<ModuleKind, string>>;

const modulesSchema = z.array(z.looseObject({ type: z.string(), path: z.string().default('') })).min(2);

/**
 * Reads `modules.json`; nothing where the folder has none. Types count by their last name, so that both
 * `sentence_transformers.models.Dense` and today's `sentence_transformers.base.modules.dense.Dense` are known.
 */
export async function readModules(folder: string): Promise<ModuleFolders | undefined> {
  const path = join(folder, 'modules.json');
  if (!(await exists(path))) return undefined;
  const modules = await readJsonFile(path, modulesSchema);
  const found: Partial<Record<ModuleKind, string>> = {};
  let next = 0;
  for (const [index, { type, path: modulePath }] of modules.entries()) {
    const place = MODULE_ORDER.indexOf(lastName(type) as ModuleKind, next);
    if (place === -1 || (index < 2 && place !== index)) throw unsupportedModule(path, index, type);
    if (isAbsolute(modulePath) || modulePath.split(/[\\/]/).includes('..')) {
      throw new NearmissError(
        `${path}: field "${index}.path": expected a folder inside, got "${modulePath}"`,
        {
          hint: 'do not use models that point outside their own folder',
        },
      );
    }
    found[MODULE_ORDER[place]] = modulePath;
    next = place + 1;
  }
  return found as ModuleFolders;
}

function unsupportedModule(path: string, index: number, type: string): NearmissError {
  return new NearmissError(
    `${path}: field "${index}.type": expected ${MODULE_ORDER.slice(0, 2).join(', ')}, then at most one each of ${MODULE_ORDER.slice(2).join(', ')} in this order, got "${type}"`,
    { hint: 'nearmiss reads single-vector encoders of this form; choose another model' },
  );
}

function lastName(type: string): string {
  return type.slice(type.lastIndexOf('.') + 1);
}

/** A module's type name as every version of sentence-transformers understands it. */
export function legacyModuleType(kind: ModuleKind): string {
  return `sentence_transformers.models.${kind}`;
}
