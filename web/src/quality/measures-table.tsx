import { type Column, Table } from '../components/table.js';
import { Term } from '../components/term.js';
import { termOfMeasure } from '../glossary/terms.js';
import type { Quality, QualityDifference, QualitySystem } from './quality-api.js';

const TERMS: Record<QualitySystem['name'], string> = {
  bm25: 'bm25',
  base: 'base-model',
  start: 'start',
  model: 'checkpoint',
  hybrid: 'hybrid',
};

const BASE_NOTE =
  'The base model is the one that the training began with, as published: with all its layers and its own text length.';

/** The systems beside each other, with what is significant against BM25. */
export function MeasuresTable({ quality }: { quality: Quality }) {
  const columns: Column<QualitySystem>[] = [
    {
      name: 'System',
      cell: ({ name, label }) => (
        <>
          <Term id={TERMS[name]}>{name === 'model' ? <b>{label}</b> : label}</Term>
        </>
      ),
    },
    ...quality.measures.map(
      (measure): Column<QualitySystem> => ({
        name: measure,
        term: termOfMeasure(measure),
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
        Under each value its difference from BM25; <Term id="significance">*</Term> where p &lt; .05 (paired
        t-test, Holm-corrected). The <Term id="hybrid">hybrid</Term> fuses the ranks of BM25 and of the
        trained model. {quality.systems.some(({ name }) => name === 'base') && BASE_NOTE}
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
