import { textBlocks } from '../../../src/text/code-blocks.js';
import type { Snippet } from '../api.js';
import { Highlighted } from '../search/highlighted.js';

/** A whole text: prose with its breaks, code as code. */
export function TextView({ text, highlights }: Snippet) {
  return (
    <div class="document-text">
      {textBlocks(text).map(({ isCode, start, end }) => {
        const shown = text.slice(start, end).replace(/^\n+/, '');
        const from = end - shown.length;
        const own = highlights
          .map(([begin, stop]): [number, number] => [begin - from, stop - from])
          .filter(([begin, stop]) => begin >= 0 && stop <= shown.length);
        const content = <Highlighted text={shown.trimEnd()} highlights={own} />;
        return isCode ? (
          <pre key={start} class="hit-code">
            <code>{content}</code>
          </pre>
        ) : (
          <p key={start}>{content}</p>
        );
      })}
    </div>
  );
}
