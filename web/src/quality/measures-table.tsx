import { type Column, Table } from '../components/index.js';
import type { Quality, QualityDifference, QualitySystem } from './quality-api.js';

/** The systems beside each other, with what is significant against BM25. */
export function MeasuresTable({ quality }: { quality: Quality }) {
  const columns: Column<QualitySystem>[] = [
    { name: 'System', cell: ({ name, label }) => (name === 'model' ? <b>{label}</b> : label) },
    ...quality.measures.map(
      (measure): Column<QualitySystem> => ({
        name: measure,
        numeric: true,
        cell: ({ means, against }) => (
          <>
            {means[measure]?.toFixed(4) ?? '–'}
            {against?.[measure] && <DifferenceLine difference={against[measure]} />}
          </>
        ),
      }),
    ),
  ];
  const caption = `${quality.queries.length.toLocaleString('en')} ${quality.split} queries, ${quality.documents.toLocaleString('en')} documents`;
  return (
    <div class="panel">
      <Table caption={caption} columns={columns} rows={quality.systems} rowKey={({ name }) => name} />
      <p class="soft small quality-note">
        Under each value its difference from BM25; <b>*</b> where p &lt; .05 (paired t-test, Holm-corrected).
        The hybrid fuses the ranks of BM25 and of the trained model.
      </p>
    </div>
  );
}

function DifferenceLine({ difference: { difference, p, significant } }: { difference: QualityDifference }) {
  const sign = difference > 0 ? 'good' : difference < 0 ? 'bad' : 'soft';
  return (
    <span
      class={`difference ${significant ? `difference-${sign}` : 'soft'}`}
      title={`p = ${p.toPrecision(2)}`}
    >
      {signed(difference)}
      {significant && '\u00a0*'}
    </span>
  );
}

/** `+0.1234` */
export function signed(value: number, digits = 4): string {
  return `${value > 0 ? '+' : value < 0 ? '−' : '±'}${Math.abs(value).toFixed(digits)}`;
}
