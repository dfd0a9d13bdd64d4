import { count } from '../base/progress.js';
import { escapeCell, formatTable, type TableFormat } from '../base/table.js';
import { type Comparison, largestDifferences } from './compare.js';
import { formatValue } from './trec-format.js';

export interface CompareReportOptions {
  /** What to call the systems, in the order of the runs. */
  names: readonly string[];
  format?: TableFormat;
  /** Lists this many queries with the largest gains and losses, by the first measure. */
  differences?: number;
}

/** `q` is left out: Unicode long had no superscript of it. */
const LETTERS = 'abcdefghijklmnoprstuvwxyz';
const SUPERSCRIPTS = [...'ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ'];
const TEST_NAMES = { t: 'paired t-test', fisher: 'Fisher randomisation test' };
const CORRECTION_NAMES = { none: 'uncorrected', holm: 'Holm-corrected', bonferroni: 'Bonferroni-corrected' };

/** A comparison for people: the systems, the pairs with their tests, the overlap of their hits. */
export function formatComparison(comparison: Comparison, options: CompareReportOptions): string {
  const format = options.format ?? 'text';
  const parts = [systemTable(comparison, options.names, format), legend(comparison, format)];
  if (comparison.pairs.length > 0) {
    parts.push(pairTable(comparison, format), overlapTable(comparison, format));
  }
  if (options.differences) parts.push(...differenceTables(comparison, options.differences, format));
  return parts.join('\n');
}

/** The letter that stands for a system in superscripts: `a`, `b`, …, `aa`, … */
export function systemLetter(system: number): string {
  const letter = LETTERS[system % LETTERS.length];
  return system < LETTERS.length ? letter : systemLetter(Math.floor(system / LETTERS.length) - 1) + letter;
}

function systemTable(comparison: Comparison, names: readonly string[], format: TableFormat): string {
  const { evaluations, measures } = comparison;
  const rows = evaluations.map(({ mean }, system) => [
    systemLetter(system),
    escapeCell(names[system], format),
    ...measures.map((measure) => {
      const best = Math.max(...evaluations.map((evaluation) => evaluation.mean[measure.name]));
      const value = formatValue(measure, mean[measure.name]);
      const marked = mean[measure.name] === best ? bold(value, format) : value;
      return marked + superscript(betterThan(comparison, system, measure.name), format);
    }),
  ]);
  const header = ['', 'system', ...measures.map(({ name }) => escapeCell(name, format))];
  return formatTable({ header, rows, numeric: header.map(() => false) }, format);
}

/** Letters of the systems that this one is significantly better than. */
function betterThan({ pairs }: Comparison, system: number, measure: string): string {
  const beaten = pairs
    .filter((pair) => pair.significant && pair.measure === measure)
    .map((pair) => (pair.difference > 0 ? [pair.system, pair.reference] : [pair.reference, pair.system]))
    .filter(([winner]) => winner === system)
    .map(([, loser]) => loser);
  return beaten
    .sort((a, b) => a - b)
    .map(systemLetter)
    .join('');
}

function legend({ queries, options, pairs, measures }: Comparison, format: TableFormat): string {
  const { test, alpha, correction } = options;
  const compared = pairs.length / Math.max(1, measures.length);
  const text =
    `${count(queries.length)} queries. A letter: significantly better than that system by a ` +
    `${TEST_NAMES[test]}, p < ${alpha}, ${CORRECTION_NAMES[correction]} over ${count(compared)} ` +
    `${compared === 1 ? 'pair' : 'pairs'} a measure.`;
  return format === 'latex' ? `% ${text}\n` : `${text}\n`;
}

function pairTable(comparison: Comparison, format: TableFormat): string {
  const header = ['measure', 'pair', 'difference', 't', 'p (t)', 'p (Fisher)', 'win/tie/loss'];
  const rows = comparison.pairs.map((pair) => [
    escapeCell(pair.measure, format),
    pairName(pair, format),
    signed(pair.difference),
    pair.t.toFixed(2),
    pValue(pair.p.t, format),
    pValue(pair.p.fisher, format),
    `${pair.wins}/${pair.ties}/${pair.losses}`,
  ]);
  return formatTable({ header, rows, numeric: [false, false, true, true, true, true, true] }, format);
}

function overlapTable({ overlaps, options }: Comparison, format: TableFormat): string {
  const header = ['pair', `shared@${options.overlapDepth}`, 'RBO'];
  const rows = overlaps.map((overlap) => [
    pairName(overlap, format),
    overlap.shared.toFixed(4),
    overlap.rbo.toFixed(4),
  ]);
  return formatTable({ header, rows, numeric: [false, true, true] }, format);
}

function differenceTables(comparison: Comparison, size: number, format: TableFormat): string[] {
  const [{ name }] = comparison.measures;
  return comparison.overlaps.map(({ system, reference }) => {
    const values = (index: number): Float64Array => comparison.evaluations[index].perQuery[name];
    const { gains, losses } = largestDifferences(values(system), values(reference), comparison.queries, size);
    const header = [
      'query',
      `${escapeCell(name, format)} ${systemLetter(system)}`,
      systemLetter(reference),
      'difference',
    ];
    const rows = [...gains, ...losses].map((row) => [
      escapeCell(row.query, format),
      row.system.toFixed(4),
      row.reference.toFixed(4),
      signed(row.difference),
    ]);
    return formatTable({ header, rows, numeric: [false, true, true, true] }, format);
  });
}

function pairName(pair: { system: number; reference: number }, format: TableFormat): string {
  const minus = format === 'latex' ? '$-$' : '−';
  return `${systemLetter(pair.system)} ${minus} ${systemLetter(pair.reference)}`;
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(4)}`;
}

function pValue(p: number, format: TableFormat): string {
  if (p >= 0.0001) return p.toFixed(4);
  return `${format === 'latex' ? '$<$' : '<'}0.0001`;
}

function bold(text: string, format: TableFormat): string {
  if (format === 'latex') return `\\textbf{${text}}`;
  return format === 'markdown' ? `**${text}**` : text;
}

function superscript(letters: string, format: TableFormat): string {
  if (letters === '') return '';
  if (format === 'latex') return `$^{${letters}}$`;
  if (format === 'markdown') return `<sup>${letters}</sup>`;
  return [...letters].map((letter) => SUPERSCRIPTS[LETTERS.indexOf(letter)]).join('');
}
