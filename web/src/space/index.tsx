import './space.css';
import { useState } from 'preact/hooks';
import type { PointKind } from '../../../src/analyze/space/kinds.js';
import { ErrorState, Tabs } from '../components/index.js';
import { usePlace, useTitle } from '../router.js';
import { ProgressLine } from '../study/progress-line.js';
import { changeParams, RunGate, RunSelect } from '../study/run-gate.js';
import { useStudy } from '../study/use-study.js';
import { Legend } from './legend.js';
import { PointTable } from './point-table.js';
import { QueryPicker } from './query-picker.js';
import { Scatter } from './scatter.js';
import type { SpacePicture } from './space-api.js';

const METHODS = [
  { value: 'tsne', label: 't-SNE' },
  { value: 'umap', label: 'UMAP' },
] as const;

const STEPS = [
  { value: 'best', label: 'Chosen checkpoint' },
  { value: 'newest', label: 'Newest' },
] as const;

const VIEWS = [
  { value: 'both', label: 'Both' },
  { value: 'before', label: 'Before' },
  { value: 'after', label: 'After' },
] as const;

type View = (typeof VIEWS)[number]['value'];

/** A query among its positives and negatives, as the model sees them before and after training. */
export function SpacePage() {
  useTitle('Space');
  return <RunGate page={Space} />;
}

function Space({ run }: { run: string }) {
  const { params } = usePlace();
  const query = params.get('query') ?? undefined;
  const method = params.get('method') === 'umap' ? 'umap' : 'tsne';
  const step = params.get('step') === 'newest' ? 'newest' : 'best';
  const view = VIEWS.find(({ value }) => value === params.get('view'))?.value ?? 'both';
  const study = useStudy<SpacePicture>(`/v1/runs/${encodeURIComponent(run)}/space`, { query, method, step });
  const picture = study.data;
  return (
    <div class="study space">
      <div>
        <h1>The space around a query</h1>
        <p class="soft">
          What the model takes for similar, before training and after: the query, its answers, and the
          documents it is trained to tell from them.
        </p>
      </div>
      <div class="study-controls">
        <RunSelect run={run} />
        <Tabs
          label="Method"
          tabs={METHODS}
          selected={method}
          onSelect={(value) => changeParams({ method: value })}
        />
        <Tabs
          label="Checkpoint"
          tabs={STEPS}
          selected={step}
          onSelect={(value) => changeParams({ step: value })}
        />
        <Tabs
          label="Before or after training"
          tabs={VIEWS}
          selected={view}
          onSelect={(value) => changeParams({ view: value })}
        />
        {study.loading && <ProgressLine progress={study.progress} />}
      </div>
      <div class="space-columns">
        <QueryPicker
          run={run}
          current={picture?.query.id ?? query}
          onPick={(id) => changeParams({ query: id })}
        />
        <div class="space-main">
          {study.error && <ErrorState error={study.error} onRetry={study.reload} />}
          {picture && !study.error && (
            <Picture run={run} picture={picture} view={view} stale={study.loading} />
          )}
        </div>
      </div>
    </div>
  );
}

interface PictureProps {
  run: string;
  picture: SpacePicture;
  view: View;
  stale: boolean;
}

function Picture({ run, picture, view, stale }: PictureProps) {
  const [hidden, setHidden] = useState<ReadonlySet<PointKind>>(new Set());
  const [active, setActive] = useState<number | undefined>();
  const toggle = (kind: PointKind) =>
    setHidden((old) => new Set(old.has(kind) ? [...old].filter((other) => other !== kind) : [...old, kind]));
  const { query, points, maps } = picture;
  const shown = maps.filter(({ step }) => view === 'both' || (step === 0) === (view === 'before'));
  const place = active !== undefined && active < points.length ? active : undefined;
  return (
    <div class={stale ? 'space-stale' : undefined} aria-busy={stale}>
      <h2 class="space-query">{query.text}</h2>
      <p class="soft small">
        {query.splits.join(', ')} query <code>{query.id}</code>
      </p>
      <Legend points={points} hidden={hidden} onToggle={toggle} />
      <div class="scatters">
        {(shown.length > 0 ? shown : maps).map((map) => (
          <Scatter
            key={map.step}
            title={map.step === 0 ? 'Before training' : `After ${map.step} steps`}
            points={points}
            map={map}
            hidden={hidden}
            active={place}
            onActive={setActive}
          />
        ))}
      </div>
      <PointTable run={run} picture={picture} hidden={hidden} onActive={setActive} />
      <p class="soft small">
        Marks that are near each other are alike to the model. Distances between far ones, and the axes, mean
        nothing.
      </p>
    </div>
  );
}
