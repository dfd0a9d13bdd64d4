import { Document, isMap, isScalar, isSeq, type Node, Scalar } from 'yaml';
import type { Origins } from './load.js';
import { leaves, pathText } from './paths.js';
import type { Recipe } from './recipe.js';

/** Cannot stand in YAML unescaped, so it marks where an origin begins. */
const MARK = '\u0001';
const WIDEST_VALUE = 48;
const LINE_WIDTH = 100;

/**
 * Prints a resolved recipe as YAML that loads again, each value followed by a comment that says where it comes
 * from.
 *
 * @example
 * process.stdout.write(formatConfig(recipe, origins));
 * // loss:
 * //   name: infonce        # recipes/base.yaml:14
 * //   temperature: 0.05    # default
 */
export function formatConfig(recipe: Recipe, origins: Origins): string {
  const document = new Document(recipe);
  for (const { keys } of leaves(recipe)) {
    const origin = origins.get(pathText(recipe, keys));
    const node = document.getIn(keys, true) as Node;
    if (isSeq(node) || isMap(node)) node.flow = true;
    if (isScalar(node) && String(node.value).length > WIDEST_VALUE) node.type = Scalar.BLOCK_FOLDED;
    if (origin) node.comment = MARK + origin;
  }
  return alignOrigins(document.toString({ lineWidth: LINE_WIDTH, flowCollectionPadding: false }));
}

/** The same for programs: the recipe, and the origin of each path. */
export function configJson(
  recipe: Recipe,
  origins: Origins,
): { recipe: Recipe; origins: Record<string, string> } {
  return { recipe, origins: Object.fromEntries(origins) };
}

function alignOrigins(yaml: string): string {
  const lines = yaml.split('\n').map((line) => line.split(`#${MARK}`));
  const widths = lines.filter(([, origin]) => origin).map(([value]) => value.trimEnd().length);
  const width = Math.max(0, ...widths.filter((value) => value <= WIDEST_VALUE));
  return lines
    .map(([value, origin]) => (origin ? `${value.trimEnd().padEnd(width)}  # ${origin}` : value))
    .join('\n');
}
