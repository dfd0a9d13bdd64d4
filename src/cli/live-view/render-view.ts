import { count, formatDuration } from '../../base/progress.js';
import { averaged, type Evaluated, type TrainingState } from '../../run/training-state.js';

const BLOCKS = '▁▂▃▄▅▆▇█';
/** Below this width, labels are shortened. */
const NARROW = 60;
const SHORTEST_BAR = 8;
const LONGEST_BAR = 30;

const STYLES = { plain: '', dim: '2', good: '32', strong: '1' } as const;

interface Part {
  text: string;
  style?: keyof typeof STYLES;
}

/**
 * Draws a run's state as lines of at most `width` characters.
 *
 * ```text
 * train        ance 210/300  █████████████████████░░░░░░░░░  70%  ETA 4 min 12 s
 * loss         0.4121  █▇▆▆▅▄▄▃▃▃▂▂▂▂▁▁▁▁
 * gradients    norm 1.03, 4,120 tokens/s
 * negatives    of step 200, 10 steps old, 38% replaced
 * dev at step  200  RR@10 0.8531 (★ 0.8731 at 100)  nDCG@10 0.8912
 * inferencer   step 200  ██████████████████░░░░░░░░░░░  62%  10,688/17,248 texts
 * ```
 */
export function renderView(
  state: TrainingState,
  width: number,
  options: { colour?: boolean } = {},
): string[] {
  const narrow = width < NARROW;
  const labelWidth = narrow ? 7 : 13;
  const room = width - labelWidth;
  const rows: [label: string, short: string, parts: Part[]][] = [
    ['train', 'train', trainRow(state, room)],
    ['makes', 'makes', makingRow(state, room)],
    ['loss', 'loss', lossRow(state, room)],
    ['gradients', 'grad', gradientRow(state)],
    ['negatives', 'neg', negativesRow(state)],
    ['dev at step', 'dev at', evaluationRow(state)],
    ['inferencer', 'infer', inferencerRow(state, room)],
  ];
  return rows
    .filter(([, , parts]) => parts.length > 0)
    .map(([label, short, parts]) => {
      const title = (narrow ? short : label).padEnd(labelWidth);
      const row: Part[] = [{ text: title, style: 'dim' }, ...parts];
      return cut(row, width)
        .map((part) => paint(part, options.colour === true))
        .join('');
    });
}

function trainRow({ stage, step, totalSteps, secondsLeft, waitingFor }: TrainingState, room: number): Part[] {
  if (totalSteps === 0) return [{ text: waitingFor ? `waits for ${waitingFor}` : 'starts' }];
  const eta = step === totalSteps ? 'done' : `ETA ${secondsLeft === undefined ? '?' : duration(secondsLeft)}`;
  return barRow(`${stage} ${count(step)}/${count(totalSteps)}`, step / totalSteps, eta, room);
}

function makingRow({ making }: TrainingState, room: number): Part[] {
  if (!making) return [];
  const { stage, done, total } = making;
  if (total === 0) return [{ text: stage }];
  return barRow(stage, done / total, `${count(done)}/${count(total)}`, room);
}

function lossRow({ loss, losses }: TrainingState, room: number): Part[] {
  if (loss === undefined) return [];
  const figure = `${significant(loss)}  `;
  const width = Math.max(0, room - figure.length);
  return [{ text: figure, style: 'strong' }, { text: sparkline(losses.means, width) }];
}

function gradientRow({ gradientNorm, tokensPerSecond }: TrainingState): Part[] {
  if (gradientNorm === undefined) return [];
  const pace = tokensPerSecond === undefined ? '' : `, ${count(tokensPerSecond)} tokens/s`;
  return [{ text: `norm ${significant(gradientNorm)}${pace}` }];
}

function negativesRow({
  negativesVersion,
  step,
  lastRefresh,
  waitingFor,
  totalSteps,
}: TrainingState): Part[] {
  if (waitingFor && totalSteps > 0) return [{ text: `waits for ${waitingFor}` }];
  if (negativesVersion === undefined) return [];
  // The last step done is step − 1, and its negatives are of the checkpoint before step `negativesVersion`.
  const age = step - 1 - negativesVersion;
  const replaced = lastRefresh?.replacedShare;
  return [
    { text: `of step ${count(negativesVersion)}, ${count(age)} ${age === 1 ? 'step' : 'steps'} old` },
    { text: replaced === undefined ? '' : `, ${percent(replaced)} replaced` },
  ];
}

function evaluationRow({ lastEvaluation: last, bestEvaluation: best }: TrainingState): Part[] {
  if (!last) return [];
  const parts: Part[] = [{ text: count(last.step) }];
  for (const [name, value] of Object.entries(last.measures)) {
    parts.push({ text: `  ${name} ${value.toFixed(4)}` });
    // Beside the first, so that it stays in sight on narrow terminals.
    if (best && parts.length === 2) parts.push({ text: bestMark(best, last, name), style: 'good' });
  }
  return parts;
}

function bestMark(best: Evaluated, last: Evaluated, measure: string): string {
  if (best.step === last.step) return ' ★';
  return ` (★ ${best.measures[measure].toFixed(4)} at ${count(best.step)})`;
}

function inferencerRow({ encoding, lastRefresh }: TrainingState, room: number): Part[] {
  if (encoding) {
    const { step, done, total } = encoding;
    return barRow(`step ${count(step)}`, done / total, `${count(done)}/${count(total)} texts`, room);
  }
  if (!lastRefresh) return [];
  const { step, seconds } = lastRefresh;
  return [{ text: `idle, step ${count(step)} took ${duration(seconds)}` }];
}

/** `before  ████░░░░  62%  after`, the bar as long as there is room, or left out. */
function barRow(before: string, share: number, after: string, room: number): Part[] {
  const tail = `${percent(share).padStart(4)}  ${after}`;
  const length = Math.min(LONGEST_BAR, room - before.length - tail.length - 3);
  if (length < SHORTEST_BAR) return [{ text: `${before}  ${tail.trimStart()}` }];
  const full = Math.round(share * length);
  return [
    { text: `${before}  ` },
    { text: '█'.repeat(full) },
    { text: '░'.repeat(length - full), style: 'dim' },
    { text: ` ${tail}` },
  ];
}

/** A series as a line of blocks, its highest value as the full block; averaged where there is not enough room. */
export function sparkline(values: readonly number[], width: number): string {
  const shown = averaged(values, width);
  const low = Math.min(...shown);
  const range = Math.max(...shown) - low;
  return shown
    .map((value) => BLOCKS[range > 0 ? Math.round(((value - low) / range) * (BLOCKS.length - 1)) : 0])
    .join('');
}

/** Cuts a row to a width, an ellipsis where something is missing. */
function cut(parts: readonly Part[], width: number): Part[] {
  const length = parts.reduce((sum, { text }) => sum + text.length, 0);
  if (length <= width) return [...parts];
  let room = Math.max(0, width - 1);
  const kept = parts.map((part) => {
    const text = part.text.slice(0, room);
    room -= text.length;
    return { ...part, text };
  });
  return [...kept, { text: '…' }];
}

function paint({ text, style = 'plain' }: Part, colour: boolean): string {
  const code = STYLES[style];
  return colour && code && text ? `\x1b[${code}m${text}\x1b[0m` : text;
}

function percent(share: number): string {
  return `${Math.round(share * 100)}%`;
}

/** Four digits, however small: `0.4121`, `12.35`, `0.0001234`. */
export function significant(value: number): string {
  return Number(value.toPrecision(4)).toString();
}

/** Long times need no seconds. */
function duration(seconds: number): string {
  return formatDuration(seconds < 10 ? Math.ceil(seconds * 10) / 10 : Math.ceil(seconds));
}
