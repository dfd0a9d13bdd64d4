import type { Move } from './rank-moves.js';

/** ▲3, ▼2, or that only this column found it; `base` names the column that moves are counted from. */
export function MoveBadge({ move, base }: { move: Move; base: string }) {
  const { sign, words } = describe(move, base);
  return (
    <span class={`move move-${move.kind}`} title={words}>
      <span aria-hidden="true">{sign}</span>
      <span class="visually-hidden">{words}</span>
    </span>
  );
}

function describe(move: Move, base: string): { sign: string; words: string } {
  switch (move.kind) {
    case 'same':
      return { sign: '=', words: `same rank as in ${base}` };
    case 'up':
      return { sign: `▲${move.by}`, words: `${move.by} higher than in ${base}` };
    case 'down':
      return { sign: `▼${move.by}`, words: `${move.by} lower than in ${base}` };
    case 'new':
      return { sign: 'new', words: `not found by ${base}` };
    case 'only':
      return { sign: 'only here', words: 'found by no other column' };
  }
}
