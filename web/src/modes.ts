import type { SearchMode } from './api.js';

export interface ModeText {
  label: string;
  /** What it goes by, in a few words. */
  about: string;
  /** What a server that does not offer it lacks. */
  missing: string;
  /** Comes with the vectors, where a server is still making them. */
  joinsIn?: boolean;
}

const TEXTS: Record<SearchMode, ModeText> = {
  bm25: {
    label: 'BM25',
    about: 'the words of the query, rare ones first',
    missing: 'needs the documents’ texts',
  },
  dense: {
    label: 'Dense',
    about: 'vectors of a model: meaning, not spelling',
    missing: 'needs a model, and this server was started to search by words alone',
    joinsIn: true,
  },
  hybrid: {
    label: 'Hybrid',
    about: 'BM25 and dense, fused',
    missing: 'needs a model, and this server was started to search by words alone',
    joinsIn: true,
  },
  cascade: {
    label: 'Cascade',
    about: 'what was found first, read again by a cross-encoder',
    missing: 'needs a cross-encoder, and this server was started without one',
  },
};

/** What to say of a mode; one that only the server knows goes by its name. */
export function modeText(mode: SearchMode): ModeText {
  if (Object.hasOwn(TEXTS, mode)) return TEXTS[mode];
  return {
    label: mode,
    about: 'a way to search that this server adds',
    missing: 'is unknown to this server',
  };
}

/** Why a mode is not offered now. */
export function whyMissing(mode: SearchMode, isComing: boolean): string {
  const { missing, joinsIn } = modeText(mode);
  return isComing && joinsIn ? 'joins in as soon as the vectors are made' : missing;
}

/** The modes to speak of: those known here, then the others. */
export function modeNames(others: readonly SearchMode[]): SearchMode[] {
  return [...new Set([...Object.keys(TEXTS), ...others])];
}
