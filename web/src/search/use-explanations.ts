import { useEffect, useState } from 'preact/hooks';
import { api, isAbort, type ScorePart, type SearchAnswer } from '../api.js';
import type { Outcome } from './use-searches.js';

export interface Explanations {
  /** How each hit's score came about, by the document's id, once it was asked for. */
  parts?: ReadonlyMap<string, readonly ScorePart[]>;
  error?: Error;
  /** Fetches those of all hits at once, and only once for an answer. */
  ask: () => void;
  retry: () => void;
}

/** Explanations of an answer's hits, which wait until somebody asks: a late-interaction model encodes every hit again for them. */
export function useExplanations({ answer, request }: Outcome): Explanations {
  const [asked, setAsked] = useState<SearchAnswer>();
  const [round, setRound] = useState(0);
  const [got, setGot] = useState<Pick<Explanations, 'parts' | 'error'> & { of?: SearchAnswer }>({});
  useEffect(() => {
    if (!answer || !request || asked !== answer) return undefined;
    const abort = new AbortController();
    api.search({ ...request, explain: true }, { signal: abort.signal }).then(
      ({ hits }) => setGot({ of: answer, parts: new Map(hits.map(({ id, parts = [] }) => [id, parts])) }),
      (error) => {
        if (!isAbort(error)) setGot({ of: answer, error });
      },
    );
    return () => abort.abort();
  }, [answer, asked, round]);
  const { parts, error } = got.of === answer ? got : {};
  return {
    parts,
    error,
    ask: () => setAsked(answer),
    retry: () => {
      setGot({});
      setRound(round + 1);
    },
  };
}
