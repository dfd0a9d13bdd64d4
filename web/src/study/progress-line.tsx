import type { Computing } from '../../../src/serve/answers/studies.js';
import { Spinner } from '../components/index.js';

const PARTS: Record<string, string> = {
  waiting: 'Waiting for what was asked before',
  opening: 'Opening the run',
  bm25: 'Searching with BM25',
  model: 'Searching with the trained model',
  start: 'Searching with the model that training began with',
  base: 'Searching with the base model as published',
  encode: 'Encoding the collection',
  project: 'Laying out the points',
};

/** What the server is doing, and how far it is. */
export function ProgressLine({ progress }: { progress: Computing | undefined }) {
  const { part = 'opening', done = 0, total = 0 } = progress ?? {};
  return (
    <p class="study-progress" aria-live="polite">
      <Spinner label="Computing" /> {PARTS[part] ?? part}
      {total > 1 && ` · ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`}
    </p>
  );
}
