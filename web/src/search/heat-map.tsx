import { formatScore } from './format-score.js';

/** Share of the mode's colour behind the token with the greatest value; more would hide the word. */
const MOST_COLOUR = 45;

export interface HeatMapProps {
  /** What it shows, for those who cannot see it. */
  label: string;
  tokens: readonly string[];
  /** How strong the colour of each token is, beside that of the others. */
  values: readonly number[];
  /** What a value is: `gave`, `weighs`. */
  verb: string;
  /** The place of a token that is pointed at elsewhere. */
  chosen?: number;
}

/** A text as a model read it: the greater the value of a token, the stronger its colour. */
export function HeatMap({ label, tokens, values, verb, chosen }: HeatMapProps) {
  const most = Math.max(...values, Number.MIN_VALUE);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
    <section class="heat-map" tabIndex={0} aria-label={label}>
      {tokens.map((token, place) => (
        <span key={`${place} ${token}`}>
          {startsWord(token) && place > 0 ? ' ' : ''}
          <span
            class={`heat-cell ${place === chosen ? 'heat-chosen' : ''}`}
            style={{ '--heat': `${Math.round((MOST_COLOUR * values[place]) / most)}%` }}
            title={values[place] > 0 ? `${verb} ${formatScore(values[place])}` : undefined}
          >
            {bare(token)}
          </span>
        </span>
      ))}
    </section>
  );
}

/** WordPiece marks what goes on within a word, byte-level tokens what begins one. */
const startsWord = (token: string): boolean => !token.startsWith('##');
const bare = (token: string): string => token.replace(/^##/, '').replace(/^[Ġ▁]/, '');
