import { useEffect } from 'preact/hooks';
import { ErrorState, Spinner } from '../components/index.js';
import { Explain } from './explain.js';
import type { Explanations } from './use-explanations.js';

export interface ExplainHitProps {
  id: string;
  document: string;
  explanations: Explanations;
}

/** How a hit's score came about; asks for it when it is first shown, and again when there is another answer. */
export function ExplainHit({ id, document, explanations }: ExplainHitProps) {
  const { parts, error, ask, retry } = explanations;
  useEffect(() => {
    if (!parts && !error) ask();
  });
  const own = parts?.get(document);
  if (own && own.length > 0) return <Explain id={id} parts={own} />;
  return (
    <div class="explain" id={id}>
      {error ? (
        <ErrorState error={error} onRetry={retry} />
      ) : parts ? (
        <p>There is no explanation: the documents may have changed since. Search again.</p>
      ) : (
        <Spinner label="Explaining the score" />
      )}
    </div>
  );
}
