import { parse, stringify } from 'yaml';
import { UsageError } from '../../base/errors.js';

/** What only whoever publishes a model knows. */
export interface CardFacts {
  /** SPDX identifier in lower case, or `other`. */
  license?: string;
  /** Hub id of the model that training started from. */
  baseModel?: string;
  /** Hub ids of the collections that it was trained on. */
  datasets?: readonly string[];
}

const HUB_ID = /^[\w-][\w.-]*(\/[\w.-]+)?$/;
const FRONT = /^---\n([\s\S]*?)\n---\n/;

/**
 * A card as a hub accepts it: with a licence (`other` where nobody said one), ids instead of names of this machine, and
 * what is known better now.
 */
export function mendCard(card: string, { license, baseModel, datasets }: CardFacts): string {
  for (const id of [baseModel, ...(datasets ?? [])]) {
    if (id === undefined || HUB_ID.test(id)) continue;
    throw new UsageError(`${id}: expected the id of a model or dataset on the hub, e.g. user/name`);
  }
  const [, yaml = ''] = FRONT.exec(card) ?? [];
  const front = (parse(yaml) ?? {}) as Record<string, unknown>;
  const known = datasets ?? ((front.datasets as string[] | undefined) ?? []).filter((id) => HUB_ID.test(id));
  const mended = {
    ...front,
    tags: [...new Set([...((front.tags as string[] | undefined) ?? []), 'transformers.js', 'onnx'])],
    license: license ?? front.license ?? 'other',
    ...(baseModel !== undefined && { base_model: baseModel }),
    ...(known.length > 0 ? { datasets: [...known] } : { datasets: undefined }),
  };
  return `---\n${stringify(mended, { lineWidth: 0 })}---\n${card.replace(FRONT, '')}`;
}
