import { useState } from 'preact/hooks';
import type { ScorePart } from '../api.js';
import { formatScore } from './format-score.js';

type Matches = NonNullable<ScorePart['matches']>;

/** Tokens that queries are filled up with: they stand for no word that somebody wrote. */
const FILLERS = new Set(['[MASK]', '<mask>']);
/** Share of the mode's colour behind the token that gave most; more would hide the word. */
const MOST_COLOUR = 45;

/** Which of a document's tokens those of the query chose: the more a token gave to the score, the stronger its colour. */
export function TokenHeat({ matches, name }: { matches: Matches; name: string }) {
  const [chosen, setChosen] = useState<number>();
  const { document, query } = matches;
  const gave = document.map(() => 0);
  for (const { chose, score } of query) gave[chose] += Math.max(0, score);
  const most = Math.max(...gave, Number.MIN_VALUE);
  const words = query.filter(({ token }) => !FILLERS.has(token));
  const filled = query.filter(({ token }) => FILLERS.has(token));
  return (
    <div class="heat">
      <ul class="terms" aria-label={`What each token of the query chose by ${name}`}>
        {words.map(({ token, chose, score }, nth) => (
          <li key={`${nth} ${token}`}>
            <button
              type="button"
              class="heat-token"
              aria-pressed={chosen === chose}
              onClick={() => setChosen(chosen === chose ? undefined : chose)}
              onPointerEnter={() => setChosen(chose)}
            >
              {token} → {document[chose]} <span class="mono soft">{formatScore(score)}</span>
            </button>
          </li>
        ))}
        {filled.length > 0 && (
          <li>
            {filled.length} × {filled[0].token}{' '}
            <span class="mono soft">{formatScore(filled.reduce((sum, { score }) => sum + score, 0))}</span>
          </li>
        )}
      </ul>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard */}
      <section class="heat-map" tabIndex={0} aria-label="The document's tokens; what gave most is darkest">
        {document.map((token, place) => (
          <span key={`${place} ${token}`}>
            {startsWord(token) && place > 0 ? ' ' : ''}
            <span
              class={`heat-cell ${place === chosen ? 'heat-chosen' : ''}`}
              style={{ '--heat': `${Math.round((MOST_COLOUR * gave[place]) / most)}%` }}
              title={gave[place] > 0 ? `gave ${formatScore(gave[place])}` : undefined}
            >
              {bare(token)}
            </span>
          </span>
        ))}
      </section>
    </div>
  );
}

/** WordPiece marks what goes on within a word, byte-level tokens what begins one. */
const startsWord = (token: string): boolean => !token.startsWith('##');
const bare = (token: string): string => token.replace(/^##/, '').replace(/^[Ġ▁]/, '');
