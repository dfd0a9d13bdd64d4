import type { z } from 'zod';
import { describe } from '../base/errors.js';
import { text } from '../base/settings.js';

/** Parameters of a model that a stage does not train. */
export type FrozenPart =
  | { part: 'queries' | 'documents' | 'encoder' | 'embeddings' | 'head' }
  /** Both included, from 0. */
  | { part: 'layers'; first: number; last: number };

const EXPECTED = 'queries, documents, encoder, embeddings, head, layers.N or layers.N-M';
const LAYERS = /^layers\.(\d+)(?:-(\d+))?$/;
const NAMES = ['queries', 'documents', 'encoder', 'embeddings', 'head'] as const;

/** What an item of a stage's `freeze` names; undefined where it names nothing. */
function parseFrozenPart(name: string): FrozenPart | undefined {
  const part = NAMES.find((known) => known === name);
  if (part) return { part };
  const [, from, to = from] = LAYERS.exec(name) ?? [];
  if (from === undefined || Number(to) < Number(from)) return undefined;
  return { part: 'layers', first: Number(from), last: Number(to) };
}

/** What a stage's `freeze` names. */
export function frozenParts(freeze: readonly string[]): FrozenPart[] {
  return freeze.flatMap((name) => parseFrozenPart(name) ?? []);
}

/** One item of a stage's `freeze`. */
export function frozenPartSetting(): z.ZodString {
  return text(EXPECTED).refine((name) => parseFrozenPart(name) !== undefined, {
    error: ({ input }) => `expected ${EXPECTED}, got ${describe(input)}`,
  });
}
