import { useState } from 'preact/hooks';
import type { ScorePart } from '../api.js';
import { formatScore } from './format-score.js';
import { HeatMap } from './heat-map.js';

type Matches = NonNullable<ScorePart['matches']>;

/** Tokens that queries are filled up with: they stand for no word that somebody wrote. */
const FILLERS = new Set(['[MASK]', '<mask>']);

/** Which of a document's tokens those of the query chose: the more a token gave to the score, the stronger its colour. */
export function TokenHeat({ matches, name }: { matches: Matches; name: string }) {
  const [chosen, setChosen] = useState<number>();
  const { document, query } = matches;
  const gave = document.map(() => 0);
  for (const { chose, score } of query) gave[chose] += Math.max(0, score);
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
      <HeatMap
        label="The document's tokens; what gave most is darkest"
        tokens={document}
        values={gave}
        verb="gave"
        chosen={chosen}
      />
    </div>
  );
}
