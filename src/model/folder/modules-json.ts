import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';

/** The modules we know, in the order in which they may follow one another. */
const MODULE_ORDER = ['Transformer', 'Pooling', 'Dense', 'LayerNorm', 'Normalize'] as const;

export type ModuleKind = (typeof MODULE_ORDER)[number];

/** Which modules a sentence-transformers model has, and in which folder (relative, `''` for the root) each is. */
export type PooledModules = { Transformer: string; Pooling: string } & Partial<Record<ModuleKind, string>>;

/** The modules of a model whose rows are tokens (PyLate, MultiVectorEncoder): nothing is pooled. */
export interface LateModules {
  Transformer: string;
  /** Linear layers, one after the other. */
  projections: readonly string[];
  MultiVectorMask?: string;
}

/** The modules of a sparse encoder (SPLADE). */
export interface SparseModules {
  Transformer: string;
  SpladePooling: string;
  /** Weights of a query's tokens, in models that run for documents alone. */
  SparseStaticEmbedding?: string;
}

export type ModuleFolders = PooledModules | LateModules | SparseModules;

const modulesSchema = z.array(z.looseObject({ type: z.string(), path: z.string().default('') })).min(1);

/**
 * Reads `modules.json`; nothing where the folder has none. Types count by their last name, so that both
 * `sentence_transformers.models.Dense` and today's `sentence_transformers.base.modules.dense.Dense` are known.
 */
export async function readModules(folder: string): Promise<ModuleFolders | undefined> {
  const path = join(folder, 'modules.json');
  if (!(await exists(path))) return undefined;
  const modules = await readJsonFile(path, modulesSchema);
  const named = modules.map(({ type, path: place }) => ({ kind: lastName(type), type, place }));
  for (const [index, { place }] of named.entries()) requireInside(path, `${index}.path`, place);
  if (named[0].kind === 'Router') return routedModules(folder, named);
  if (named.length === 1) throw unsupportedModule(path, 0, named[0].type);
  if (named[1].kind === 'SpladePooling') return sparseModules(path, named);
  return LATE.has(named[1].kind) ? lateModules(path, named) : pooledModules(path, named);
}

interface NamedModule {
  kind: string;
  type: string;
  place: string;
}

function pooledModules(path: string, modules: readonly NamedModule[]): PooledModules {
  const found: Partial<Record<ModuleKind, string>> = {};
  let next = 0;
  for (const [index, { kind, type, place: folder }] of modules.entries()) {
    const place = MODULE_ORDER.indexOf(kind as ModuleKind, next);
    if (place === -1 || (index < 2 && place !== index)) throw unsupportedModule(path, index, type);
    found[MODULE_ORDER[place]] = folder;
    next = place + 1;
  }
  return found as PooledModules;
}

/** What follows the encoder where nothing is pooled. */
const LATE = new Set(['Dense', 'MultiVectorMask']);

const LATE_ORDER = ['Transformer', 'Dense', 'MultiVectorMask', 'Normalize'];

function lateModules(path: string, modules: readonly NamedModule[]): LateModules {
  const found: Record<string, string[]> = {};
  let last = 0;
  for (const [index, { kind, type, place: folder }] of modules.entries()) {
    const place = LATE_ORDER.indexOf(kind);
    const again = kind in found && kind !== 'Dense';
    if (place < last || again || (index === 0) !== (kind === 'Transformer')) {
      throw new NearmissError(
        `${path}: field "${index}.type": expected Transformer, then Dense, MultiVectorMask, Normalize in this order, got "${type}"`,
        { hint: 'nearmiss reads models of late interaction of this form; choose another model' },
      );
    }
    found[kind] = [...(found[kind] ?? []), folder];
    last = place;
  }
  const [mask] = found.MultiVectorMask ?? [];
  return {
    Transformer: found.Transformer[0],
    projections: found.Dense ?? [],
    ...(mask !== undefined && { MultiVectorMask: mask }),
  };
}

/** What a sparse encoder's first module is called: before sentence-transformers 5.4, and since. */
const MLM_KINDS = ['MLMTransformer', 'Transformer'];

function sparseModules(path: string, modules: readonly NamedModule[]): SparseModules {
  const [transformer, pooling, ...others] = modules;
  const wrong = MLM_KINDS.includes(transformer.kind) ? others[0] : transformer;
  if (!wrong) return { Transformer: transformer.place, SpladePooling: pooling.place };
  throw new NearmissError(
    `${path}: field "${modules.indexOf(wrong)}.type": expected Transformer or MLMTransformer, then SpladePooling, got "${wrong.type}"`,
    { hint: 'nearmiss reads sparse encoders of this form; choose another model' },
  );
}

/** The file of a router: which modules queries and documents go through, each in a folder of its name. */
export const ROUTER_FILE = 'router_config.json';

const routerSchema = z.looseObject({
  types: z.record(z.string(), z.string()),
  structure: z.record(z.string(), z.array(z.string())),
});

/** The modules of a sparse encoder whose queries need no model: documents as SPLADE has them, queries looked up. */
async function routedModules(folder: string, modules: readonly NamedModule[]): Promise<SparseModules> {
  const file = join(folder, modules[0].place, ROUTER_FILE);
  const { types, structure } = await readJsonFile(file, routerSchema);
  const kindsOf = (route: string): string =>
    (structure[route] ?? []).map((id) => lastName(types[id] ?? '')).join(', ');
  const routes: [string, readonly string[]][] = [
    ['query', ['SparseStaticEmbedding']],
    ['document', MLM_KINDS.map((kind) => `${kind}, SpladePooling`)],
  ];
  for (const [route, expected] of routes) {
    if (expected.includes(kindsOf(route)) && modules.length === 1) continue;
    throw new NearmissError(
      `${file}: field "structure.${route}": expected ${expected.join(' or ')}, got ${kindsOf(route) || 'nothing'}`,
      {
        hint: 'nearmiss reads sparse encoders without a model for queries of this form; choose another model',
      },
    );
  }
  const places = [...structure.document, ...structure.query];
  for (const place of places) requireInside(file, 'types', place);
  const [transformer, pooling, query] = places.map((place) => join(modules[0].place, place));
  return {
    Transformer: transformer === '.' ? '' : transformer,
    SpladePooling: pooling,
    SparseStaticEmbedding: query,
  };
}

function requireInside(path: string, field: string, place: string): void {
  if (!isAbsolute(place) && !place.split(/[\\/]/).includes('..')) return;
  throw new NearmissError(`${path}: field "${field}": expected a folder inside, got "${place}"`, {
    hint: 'do not use models that point outside their own folder',
  });
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
