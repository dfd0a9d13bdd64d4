import type { ScorePart } from '../api.js';
import { formatScore } from './format-score.js';
import { HeatMap } from './heat-map.js';

/** What a model that weighs terms made of a document: the weights in its text, and what the text was expanded with beside it. */
export function TermHeat({ weights }: { weights: NonNullable<ScorePart['weights']> }) {
  const { document, expansion } = weights;
  return (
    <div class="heat">
      <HeatMap
        label="The document's tokens; what weighs most is darkest"
        tokens={document.map(({ token }) => token)}
        values={document.map(({ weight }) => weight)}
        verb="weighs"
      />
      {expansion.length > 0 && (
        <ul class="terms" aria-label="What the document was expanded with">
          <li class="soft">and, without standing in it:</li>
          {expansion.map(({ term, weight }) => (
            <li key={term}>
              {term} <span class="mono soft">{formatScore(weight)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
