import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import { hasCode, NearmissError, UsageError } from '../base/errors.js';
import { packageFile } from '../base/package-files.js';
import { suggest } from '../base/suggest.js';
import type { OriginMap, OriginNode } from './origin-tree.js';

/** A recipe's file before it is read. */
export interface RecipeLocation {
  path: string;
  /** What errors and origins call the file: `recipes/ance-firstp.yaml` for a built-in one. */
  label: string;
  /** What the recipe is called unless it says so itself. */
  name: string;
}

const FOLDER = fileURLToPath(packageFile('recipes/'));

/** The names of the recipes that come with nearmiss, e.g. `ance-firstp` and `paper/warmup`. */
export async function builtInRecipes(): Promise<string[]> {
  const files = await readdir(FOLDER, { recursive: true });
  return files
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => file.replaceAll('\\', '/').slice(0, -'.yaml'.length))
    .sort();
}

/**
 * Finds the file of a recipe: whatever ends in `.yaml` or `.yml` is a path, anything else the name of a built-in
 * recipe.
 *
 * @param folder what a relative path starts from; the working directory when left out
 */
export async function locateRecipe(nameOrPath: string, folder?: string): Promise<RecipeLocation> {
  const extension = extname(nameOrPath);
  if (extension === '.yaml' || extension === '.yml') {
    const path = folder === undefined || isAbsolute(nameOrPath) ? nameOrPath : join(folder, nameOrPath);
    return { path, label: path, name: basename(path, extension) };
  }
  const names = await builtInRecipes();
  if (names.includes(nameOrPath)) {
    const file = `${nameOrPath}.yaml`;
    return { path: join(FOLDER, file), label: `recipes/${file}`, name: nameOrPath };
  }
  const near = suggest(nameOrPath, names);
  throw new UsageError(`${nameOrPath}: no built-in recipe of this name`, {
    hint: `${near ? `did you mean ${near}? ` : ''}There are ${names.join(', ')}; a file of your own ends in .yaml`,
  });
}

/** Reads a recipe's file, with the line of each value. */
export async function readRecipeFile({ path, label }: RecipeLocation): Promise<OriginMap> {
  const yaml = await readFile(path, 'utf8').catch((error) => {
    const reason = hasCode(error, 'ENOENT') ? 'no such file' : `cannot read: ${error.message}`;
    throw new NearmissError(`${label}: ${reason}`, {
      hint: 'check the path; built-in recipes are named without .yaml',
      cause: error,
    });
  });
  const lines = new LineCounter();
  const document = parseDocument(yaml, { lineCounter: lines, prettyErrors: false });
  const originAt = (offset: number): string => `${label}:${lines.linePos(offset).line}`;
  const [broken] = [...document.errors, ...document.warnings];
  if (broken) throw new NearmissError(`${originAt(broken.pos[0])}: not valid YAML: ${broken.message}`);
  if (!isMap(document.contents)) {
    throw new NearmissError(`${label}: expected a mapping of settings, got ${kindOf(document.contents)}`, {
      hint: 'a recipe starts with lines such as "extends: ance-firstp"',
    });
  }
  return { ...(toOriginNode(document.contents, originAt, label) as OriginMap), origin: label };
}

/** Reads one value of a command line in YAML's notation. */
export function parseYamlValue(yaml: string, origin: string): OriginNode {
  const { contents, errors } = parseDocument(yaml, { prettyErrors: false });
  if (errors.length > 0) throw new NearmissError(`not valid YAML: ${errors[0].message}`);
  return toOriginNode(contents, () => origin, origin);
}

/** The folder that paths in a recipe's `extends` start from. */
export function folderOf({ path }: RecipeLocation): string {
  return dirname(path);
}

function toOriginNode(node: Node | null, originAt: (offset: number) => string, origin: string): OriginNode {
  if (node === null) return { kind: 'scalar', origin, value: null };
  if (isMap<Node, Node | null>(node)) {
    const entries = node.items.map(({ key, value }): [string, OriginNode] => {
      const name = isScalar(key) ? String(key.value) : String(key);
      return [name, toOriginNode(value, originAt, key.range ? originAt(key.range[0]) : origin)];
    });
    return { kind: 'map', origin, entries: new Map(entries) };
  }
  if (isSeq<Node | null>(node)) {
    const items = node.items.map((item) =>
      toOriginNode(item, originAt, item?.range ? originAt(item.range[0]) : origin),
    );
    return { kind: 'list', origin, items };
  }
  if (isAlias(node)) {
    throw new NearmissError(`${origin}: recipes know no YAML aliases, got *${node.source}`, {
      hint: 'write the value out, or share it through "extends"',
    });
  }
  return { kind: 'scalar', origin, value: isScalar(node) ? node.value : null };
}

function kindOf(node: Node | null): string {
  if (isSeq(node)) return 'a list';
  return isScalar(node) && node.value !== null ? `the value ${node.value}` : 'nothing';
}
