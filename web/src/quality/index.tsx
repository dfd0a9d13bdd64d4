import './quality.css';
import { useState } from 'preact/hooks';
import { Button, ErrorState, Tabs } from '../components/index.js';
import { usePlace, useTitle } from '../router.js';
import { ProgressLine } from '../study/progress-line.js';
import { changeParams, RunGate, RunSelect } from '../study/run-gate.js';
import { useStudy } from '../study/use-study.js';
import { CaseView } from './case-view.js';
import { MeasuresTable } from './measures-table.js';
import { CASE_MEASURES, type CaseMeasure, type Quality, qualityPath } from './quality-api.js';
import { QueryCases } from './query-cases.js';
import { WinLossBar } from './win-loss-bar.js';

const MEASURES = CASE_MEASURES.map((value) => ({ value, label: value }));

/** How good a run's model is beside BM25, over all queries and on each. */
export function QualityPage() {
  useTitle('Quality');
  return <RunGate page={QualityOfRun} />;
}

function QualityOfRun({ run }: { run: string }) {
  const { params } = usePlace();
  const split = params.get('split') ?? undefined;
  const [withStart, setWithStart] = useState(false);
  const study = useStudy<Quality>(qualityPath(run), { split, start: withStart || undefined });
  const quality = study.data;
  return (
    <div class="study quality">
      <div>
        <h1>Quality</h1>
        <p class="soft">What training has gained over BM25 and over the base model, and on which queries.</p>
      </div>
      <div class="study-controls">
        <RunSelect run={run} />
        {quality && (
          <label class="field">
            Split
            <select
              value={split ?? quality.split}
              onChange={(event) => changeParams({ split: event.currentTarget.value, query: undefined })}
            >
              {quality.splits.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        {study.loading && <ProgressLine progress={study.progress} />}
      </div>
      {study.error && <ErrorState error={study.error} onRetry={study.reload} />}
      {quality && !study.error && lacksStart(quality) && !withStart && (
        <div class="quality-start">
          <span>The model that training began with was not measured on each of these queries.</span>
          <Button onClick={() => setWithStart(true)}>Measure it, too</Button>
          <span class="soft small">
            {quality.documents.toLocaleString('en')} documents are encoded with it once; that may take
            minutes.
          </span>
        </div>
      )}
      {quality && !study.error && <Measured run={run} quality={quality} />}
    </div>
  );
}

/** A step 0 is the start itself. */
function lacksStart({ step, systems }: Quality): boolean {
  return step > 0 && !systems.some(({ name, against }) => name === 'start' && against !== undefined);
}

function Measured({ run, quality }: { run: string; quality: Quality }) {
  const { params } = usePlace();
  const measure: CaseMeasure = params.get('measure') === 'RR@10' ? 'RR@10' : 'nDCG@10';
  const against = quality.systems.find(({ name }) => name === 'model')?.against?.[measure];
  const query = params.get('query') ?? largest(quality, measure);
  return (
    <>
      <MeasuresTable quality={quality} />
      <div class="study-controls">
        <h2>Query by query</h2>
        <Tabs
          label="Compare by"
          tabs={MEASURES}
          selected={measure}
          onSelect={(value) => changeParams({ measure: value })}
        />
      </div>
      {against && <WinLossBar measure={measure} {...against} />}
      <div class="quality-columns">
        <QueryCases
          queries={quality.queries}
          measure={measure}
          current={query}
          onPick={(id) => changeParams({ query: id }, { replace: true })}
        />
        {query !== undefined && (
          <CaseView run={run} query={query} split={quality.split} step={quality.step} />
        )}
      </div>
    </>
  );
}

/** The query that shows most: there is something to see before anything was chosen. */
function largest({ queries }: Quality, measure: CaseMeasure): string | undefined {
  const size = (at: number) => Math.abs(queries[at].values[measure].model - queries[at].values[measure].bm25);
  let best = 0;
  for (let at = 1; at < queries.length; at++) if (size(at) > size(best)) best = at;
  return queries[best]?.id;
}
