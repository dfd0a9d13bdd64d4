import './training.css';
import './negatives/negatives.css';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { ServerInfo } from '../api.js';
import { ErrorState, Spinner, Tabs } from '../components/index.js';
import { seriesStyle } from '../plot/colours.js';
import { navigate, usePlace, useTitle } from '../router.js';
import { useServerInfo } from '../server-info.js';
import { useRequest } from '../use-request.js';
import { AdaptationResult } from './adaptation-result.js';
import { ChartControls, measuresOf } from './chart-controls.js';
import type { ShownRun } from './chart-specs.js';
import { Charts, MeasuredSources } from './charts.js';
import { CheckpointsPart } from './checkpoints-part.js';
import { NegativesPart } from './negatives/index.js';
import { type PageState, type Part, pathOfState, readPageState } from './page-state.js';
import { RecipePart } from './recipe-part.js';
import { RunHeader } from './run-header.js';
import { RunList } from './run-list.js';
import { type RunSummary, runsApi } from './runs-api.js';
import { StartTraining } from './start-training.js';
import { TeachingPart } from './teaching-part.js';
import { type LiveRun, useLiveRuns } from './use-live-runs.js';
import { UseModel } from './use-model.js';
import { type Trainings, useTrainings } from './use-trainings.js';

const LIST_EVERY_MS = 5000;
const PART_NAMES: Record<Part, string> = {
  curves: 'Curves',
  negatives: 'Negatives',
  recipe: 'Recipe',
  checkpoints: 'Checkpoints',
};

/** Runs, going on or finished: their curves, processes, recipes and mined negatives. */
export function TrainingPage() {
  useTitle('Training');
  const list = useRequest('runs', (signal) => runsApi.list({ signal }), { everyMs: LIST_EVERY_MS });
  const info = useServerInfo().data;
  if (list.data) {
    return <Training {...list.data} info={info} isStale={list.error !== undefined} onChange={list.reload} />;
  }
  if (list.error) return <ErrorState error={list.error} onRetry={list.reload} />;
  return <Spinner label="Reading the runs" />;
}

function Training({
  runs,
  unreadable,
  info,
  isStale,
  onChange,
}: {
  runs: RunSummary[];
  unreadable: string[];
  info: ServerInfo | undefined;
  isStale: boolean;
  onChange: () => void;
}) {
  const { params } = usePlace();
  const state = useMemo(() => readPageState(params), [params]);
  const names = state.runs.length > 0 ? state.runs : defaultRuns(runs, info?.run);
  const change = (part: Partial<PageState>, options: { replace?: boolean } = {}) =>
    navigate(pathOfState({ ...state, runs: state.runs.length > 0 ? state.runs : names, ...part }), options);
  // A run takes a moment to be there; then it is shown, and stays so when it has ended.
  const [awaited, setAwaited] = useState<string | undefined>();
  const trainings = useTrainings((run) => {
    setAwaited(run);
    onChange();
  });
  const live = useLiveRuns(names, trainings.isRunning);
  const isThere = awaited !== undefined && runs.some(({ name }) => name === awaited);
  useEffect(() => {
    if (!isThere) return;
    setAwaited(undefined);
    navigate(pathOfState({ ...state, runs: [awaited], query: undefined, table: undefined }));
  }, [isThere]);
  const start = { trainings, runs: runs.map(({ name }) => name) };
  if (runs.length === 0 && unreadable.length === 0) {
    return (
      <div class="stack">
        <h1 class="visually-hidden">Training</h1>
        <StartTraining {...start} isOpen />
      </div>
    );
  }
  const chosen = new Map(names.map((name, nth) => [name, seriesStyle(nth).colour]));
  return (
    <div class="training">
      <h1 class="visually-hidden">Training</h1>
      <RunList
        runs={runs}
        unreadable={unreadable}
        chosen={chosen}
        onChoose={(choice) => change({ runs: choice, query: undefined, table: undefined })}
      />
      <div class="stack">
        {isStale && (
          <p class="bad small" role="status">
            The server does not answer; this is what it said last.
          </p>
        )}
        <StartTraining {...start} />
        {live.map((run) => (
          <RunTop key={run.name} run={run} colour={chosen.get(run.name)!} trainings={trainings} info={info} />
        ))}
        <Tabs
          label="What to show"
          tabs={Object.entries(PART_NAMES).map(([value, label]) => ({ value: value as Part, label }))}
          selected={state.part}
          onSelect={(part) => change({ part })}
          panel="training-part"
        />
        <div id="training-part" role="tabpanel" aria-label={PART_NAMES[state.part]}>
          <PartOf live={live} chosen={chosen} state={state} onChange={change} />
        </div>
      </div>
    </div>
  );
}

interface RunTopProps {
  run: LiveRun;
  colour: string;
  trainings: Trainings;
  info: ServerInfo | undefined;
}

function RunTop({ run, colour, trainings, info }: RunTopProps) {
  if (run.details) {
    const { name, goesOn, adaptation } = run.details;
    const goOn = goesOn && !trainings.isRunning && (() => trainings.start({ run: name, kind: goesOn }));
    return (
      <>
        <RunHeader details={run.details} colour={colour} {...(goOn && { onGoOn: goOn })} />
        {adaptation && <AdaptationResult run={name} adaptation={adaptation} />}
        {info && <UseModel run={run.details} info={info} />}
      </>
    );
  }
  if (run.error) return <ErrorState error={run.error} />;
  return <Spinner label={`Reading ${run.name}`} />;
}

interface PartProps {
  live: readonly LiveRun[];
  chosen: ReadonlyMap<string, string>;
  state: PageState;
  onChange: (part: Partial<PageState>, options?: { replace?: boolean }) => void;
}

function PartOf({ live, chosen, state, onChange }: PartProps) {
  const details = live.flatMap((run) => run.details ?? []);
  if (details.length === 0) return null;
  switch (state.part) {
    case 'curves': {
      const shown = live.flatMap(({ name, curves }): ShownRun[] =>
        curves ? [{ name, curves, colour: chosen.get(name)! }] : [],
      );
      const curves = shown.map((run) => run.curves);
      const { smoothing, logLoss, group } = state;
      return (
        <div class="stack">
          <ChartControls
            state={state}
            curves={curves}
            onChange={(part) => onChange(part, { replace: true })}
          />
          <Charts
            runs={shown}
            smoothing={smoothing}
            logLoss={logLoss}
            measure={state.measure ?? measuresOf(curves)[0]}
            group={group}
          />
          {details.length === 1 && <MeasuredSources details={details[0]} />}
          {details.length === 1 && <TeachingPart run={details[0]} />}
        </div>
      );
    }
    case 'negatives':
      return <NegativesPart run={details[0]} state={state} onChange={onChange} />;
    case 'recipe':
      return <RecipePart runs={details} />;
    case 'checkpoints':
      return (
        <div class="stack">
          {details.map((run) => (
            <section key={run.name} class="stack" aria-label={`Checkpoints of ${run.name}`}>
              {details.length > 1 && <h2>{run.name}</h2>}
              <CheckpointsPart run={run} />
            </section>
          ))}
        </div>
      );
  }
}

/** What somebody who opens the page wants to see: what is going on, or else what is served, or what happened last. */
function defaultRuns(runs: readonly RunSummary[], served: string | undefined): string[] {
  const newestFirst = [...runs].sort((a, b) => ((a.updatedAt ?? '') < (b.updatedAt ?? '') ? 1 : -1));
  const run =
    newestFirst.find(({ state }) => state === 'running') ??
    newestFirst.find(({ name }) => name === served) ??
    newestFirst[0];
  return run ? [run.name] : [];
}
