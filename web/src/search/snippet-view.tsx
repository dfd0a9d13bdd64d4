import type { Snippet } from '../api.js';
import { Highlighted } from './highlighted.js';

/** Prose as it flows, code as its lines; a sentence that was cut says so. */
export function SnippetView({ snippet }: { snippet: Snippet }) {
  const { text, highlights, cutBefore, cutAfter, parts = [{ isCode: false, text, highlights }] } = snippet;
  return (
    <>
      {parts.map((part, nth) =>
        part.isCode ? (
          <pre key={nth} class="hit-code">
            <code>
              <Highlighted {...part} />
            </code>
          </pre>
        ) : (
          <p key={nth} class="hit-snippet">
            {cutBefore && nth === 0 && '…'}
            <Highlighted {...part} />
            {cutAfter && nth === parts.length - 1 && '…'}
          </p>
        ),
      )}
    </>
  );
}
