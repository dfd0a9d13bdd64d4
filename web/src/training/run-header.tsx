import { Button } from '../components/index.js';
import { Term } from '../components/term.js';
import { termOfMeasure } from '../glossary/terms.js';
import { formatAgo, formatCount, formatDuration, formatMeasure, formatShare } from './format.js';
import { StateBadge } from './run-list.js';
import type { ProcessDetails, Role, RunDetails } from './runs-api.js';
import { Swatch } from './swatch.js';

export interface RunHeaderProps {
  details: RunDetails;
  colour: string;
  /** Goes on with a run that was stopped; without it nobody can, here and now. */
  onGoOn?: () => void;
}

/** How far a run is, when it will be done, and what its two processes are doing. */
export function RunHeader({ details, colour, onGoOn }: RunHeaderProps) {
  const { name, state, step, steps, secondsLeft, best, processes } = details;
  return (
    <section class="panel run-header" aria-label={`Run ${name}`}>
      <div class="run-title">
        <h2>
          <Swatch colour={colour} />
          {name}
        </h2>
        <StateBadge state={state} />
        <span class="soft">
          <Term id="recipe">{details.recipe}</Term> on {details.data}, <Term id="seed">seed</Term>{' '}
          {details.seed}
        </span>
      </div>
      <div class="progress">
        <progress value={step} max={steps} aria-label={`Steps of ${name}`} />
        <span class="mono">
          {formatCount(step)} / {formatCount(steps)}
        </span>
        <span class="soft">{progressText(details, secondsLeft)}</span>
        {onGoOn && <Button onClick={onGoOn}>Go on</Button>}
      </div>
      <dl class="facts">
        {best && (
          <Fact name={`Highest ${best.measure}`} term={termOfMeasure(best.measure)}>
            {formatMeasure(best.value)} <span class="soft small">at step {formatCount(best.step)}</span>
          </Fact>
        )}
        {details.indexAge !== undefined && (
          <Fact name="Age of negatives" term="age">
            {formatCount(details.indexAge)} steps
          </Fact>
        )}
        <Replaced details={details} />
        <Waiting details={details} />
      </dl>
      <div class="processes">
        <ProcessCard of="trainer" process={processes.trainer} />
        <ProcessCard of="inferencer" process={processes.inferencer} />
      </div>
    </section>
  );
}

function progressText(
  { state, step, steps, updatedAt }: RunDetails,
  secondsLeft: number | undefined,
): string {
  if (state === 'running' && step >= steps) return 'measuring the last checkpoint';
  if (secondsLeft !== undefined) return `about ${formatDuration(secondsLeft)} left`;
  const when = updatedAt ? formatAgo(updatedAt) : '';
  if (state === 'running') return 'starting';
  return `${state} ${when}`;
}

function Fact({ name, term, children }: { name: string; term?: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>
        <Term id={term}>{name}</Term>
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

function Replaced({ details: { refreshes } }: { details: RunDetails }) {
  const share = refreshes.at(-1)?.replacedShare;
  if (share === undefined) return null;
  return (
    <Fact name="Replaced by the last refresh" term="refresh">
      {formatShare(share)}
    </Fact>
  );
}

/** Checkpoints that the Inferencer has not come to yet. */
function Waiting({ details: { checkpoints, state } }: { details: RunDetails }) {
  const newest = Math.max(-1, ...checkpoints.filter(({ indexed }) => indexed).map(({ step }) => step));
  const waiting = checkpoints.filter(({ step, indexed }) => step > newest && !indexed).length;
  return state === 'running' ? (
    <Fact name="Checkpoints waiting" term="checkpoint">
      {waiting}
    </Fact>
  ) : null;
}

const ROLES: Record<Role, { label: string; does: string }> = {
  trainer: { label: 'Trainer', does: 'learns' },
  inferencer: { label: 'Inferencer', does: 'encodes, mines and measures' },
};

function ProcessCard({ of: role, process }: { of: Role; process: ProcessDetails }) {
  const { state, encoding, activity, lastEventAt, problem, warning, threads } = process;
  const { label, does } = ROLES[role];
  return (
    <div class="process">
      <div class="process-title">
        <b>
          <Term id={role}>{label}</Term>
        </b>
        {state === 'absent' ? <span class="badge">not started</span> : <StateBadge state={state} />}
      </div>
      <p>{activity ?? <span class="soft">{does}</span>}</p>
      {encoding && (
        <div class="progress">
          <progress
            value={encoding.done}
            max={encoding.total}
            aria-label={`Documents encoded by the ${label}`}
          />
          <span class="mono small">
            {formatCount(encoding.done)} / {formatCount(encoding.total)} documents, step{' '}
            {formatCount(encoding.step)}
          </span>
        </div>
      )}
      {problem && <p class="bad small">{problem}</p>}
      {warning && (
        <p class="warning small">
          <b>Worth a look:</b> {warning}
        </p>
      )}
      <p class="soft small">
        {[
          process.pid !== undefined && `process ${process.pid}`,
          process.host && `on ${process.host}`,
          threads !== undefined && `${threads} ${threads === 1 ? 'thread' : 'threads'}`,
          lastEventAt && `last heard of ${formatAgo(lastEventAt)}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </div>
  );
}
