import { useEffect, useRef, useState } from 'preact/hooks';
import { api, isAbort, type ServerInfo } from '../api.js';
import { apiKey } from '../api-key.js';
import { useStore } from '../store.js';

/** What was said of the hits of a query: 0 wrong, 1 right; nothing where nobody said anything. */
export interface Judgments {
  grades: ReadonlyMap<string, number>;
  /** Why the last one could not be kept. */
  problem: Error | undefined;
  /** A second time takes it back. */
  judge: (document: string, grade: number) => void;
}

/** The judgments of the query at hand; `undefined` where none can be kept. */
export function useJudgments(query: string, info: ServerInfo): Judgments | undefined {
  const secret = useStore(apiKey);
  const [grades, setGrades] = useState<ReadonlyMap<string, number>>(new Map());
  const [problem, setProblem] = useState<Error | undefined>();
  const possible = info.writable && query !== '';
  const asked = useRef(query);
  asked.current = query;

  useEffect(() => {
    setGrades(new Map());
    setProblem(undefined);
    if (!possible) return undefined;
    const abort = new AbortController();
    api.judgments(query, { signal: abort.signal }).then(
      ({ judgments }) => setGrades(new Map(judgments.map(({ document, grade }) => [document, grade ?? 0]))),
      // What the search itself is told of is enough.
      (error) => isAbort(error) || setGrades(new Map()),
    );
    return () => abort.abort();
  }, [query, possible, secret]);

  if (!possible) return undefined;
  const judge = (document: string, wanted: number) => {
    const grade = grades.get(document) === wanted ? null : wanted;
    // A button that has changed is a promise that the judgment is kept, so it waits for the server's answer.
    api.judge({ query, document, grade }).then(
      () => {
        if (asked.current !== query) return;
        setProblem(undefined);
        setGrades((old) => {
          const next = new Map(old);
          if (grade === null) next.delete(document);
          else next.set(document, grade);
          return next;
        });
      },
      (error: Error) => setProblem(error),
    );
  };
  return { grades, problem, judge };
}
