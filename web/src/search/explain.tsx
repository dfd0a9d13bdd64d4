import type { ScorePart } from '../api.js';
import { formatScore } from './format-score.js';
import { TermHeat } from './term-heat.js';
import { TokenHeat } from './token-heat.js';

/** Terms worth reading. */
const MOST_TERMS = 20;

/** How a score came about: what each part found, and what it gave. */
export function Explain({ id, parts }: { id: string; parts: readonly ScorePart[] }) {
  const most = Math.max(...parts.map(({ contribution = 0 }) => Math.abs(contribution)), Number.MIN_VALUE);
  const fused = parts.some(({ contribution }) => contribution !== undefined);
  return (
    <div class="explain" id={id}>
      <table>
        <caption class="visually-hidden">Parts of the score</caption>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col" class="numeric">
              Rank
            </th>
            <th scope="col" class="numeric">
              Score
            </th>
            {fused && <th scope="col">Gave</th>}
          </tr>
        </thead>
        <tbody>
          {parts.map(({ name, rank, score, contribution }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="numeric">{rank ?? '–'}</td>
              <td class="numeric">{score === undefined ? 'not found' : formatScore(score)}</td>
              {fused && (
                <td>
                  {contribution !== undefined && (
                    <span class="gave">
                      <meter
                        min={0}
                        max={most}
                        value={Math.max(0, contribution)}
                        aria-label={`${name} gave`}
                      />
                      {formatScore(contribution)}
                    </span>
                  )}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {parts.map(({ name, terms }) => terms && terms.length > 0 && <Terms key={name} terms={terms} />)}
      {parts.map(({ name, weights }) => weights && <TermHeat key={name} weights={weights} />)}
      {parts.map(({ name, matches }) => matches && <TokenHeat key={name} name={name} matches={matches} />)}
    </div>
  );
}

function Terms({ terms }: { terms: NonNullable<ScorePart['terms']> }) {
  const shown = [...terms].sort((a, b) => b.score - a.score).slice(0, MOST_TERMS);
  return (
    <ul class="terms" aria-label="What each term gave">
      {shown.map(({ term, score, query, document, notIn }) => (
        <li key={term}>
          {term} <span class="mono soft">{formatScore(score)}</span>
          {query !== undefined && document !== undefined && (
            <span class="mono soft">
              {' '}
              = {formatScore(query)} × {formatScore(document)}
            </span>
          )}
          {notIn && <span class="soft"> not in the {notIn.join(' or the ')}</span>}
        </li>
      ))}
      {terms.length > shown.length && <li class="soft">and others</li>}
    </ul>
  );
}
