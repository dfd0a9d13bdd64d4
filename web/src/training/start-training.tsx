import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Button, ErrorState, Spinner } from '../components/index.js';
import { Term } from '../components/term.js';
import { Link, pathWith } from '../router.js';
import { useRequest } from '../use-request.js';
import { AdaptationResult } from './adaptation-result.js';
import { MiningPreviewPart } from './mining-preview.js';
import { runsApi, type Training, type TrainingsAnswer } from './runs-api.js';

const ASK_EVERY_MS = 3000;

/** Starts a training on the served collection, and stops it. */
export function StartTraining({ onBegun, isOpen }: { onBegun: () => void; isOpen?: boolean }) {
  const offer = useRequest('trainings', (signal) => runsApi.trainings({ signal }), { everyMs: ASK_EVERY_MS });
  const [problem, setProblem] = useState<Error | undefined>();
  if (!offer.data) return offer.error ? null : <Spinner label="Asking what can be trained" />;
  const { newest } = offer.data;
  const isRunning = newest?.state === 'running' || newest?.state === 'stopping';
  const act = async (work: Promise<Training>, then?: () => void) => {
    try {
      await work;
      setProblem(undefined);
      then?.();
    } catch (error) {
      setProblem(error as Error);
    }
    offer.reload();
  };
  return (
    <section class="panel start-training" aria-labelledby="start-title">
      {newest && <Newest training={newest} onStop={() => act(runsApi.stop(newest.run))} />}
      {problem && <ErrorState error={problem} />}
      {!isRunning && offer.data.adaptable && (
        <details open={isOpen && !offer.data.possible}>
          <summary>
            <h2>Adapt a model to these documents, without labels</h2>
          </summary>
          <AdaptForm onStart={(run) => act(runsApi.start({ run, kind: 'adapt' }), onBegun)} />
        </details>
      )}
      {!isRunning && (
        <details open={isOpen && (offer.data.possible || !offer.data.adaptable)}>
          <summary>
            <h2 id="start-title">Train a model on labels</h2>
          </summary>
          {offer.data.possible ? (
            <ChoiceForm offer={offer.data} onStart={(choice) => act(runsApi.start(choice), onBegun)} />
          ) : (
            <NotPossible offer={offer.data} />
          )}
        </details>
      )}
      {offer.data.possible && (
        <details>
          <summary>
            <h2>Preview what rules of mining drop</h2>
          </summary>
          <MiningPreviewPart splits={offer.data.splits} />
        </details>
      )}
      {isRunning && (
        <h2 id="start-title" class="visually-hidden">
          Training
        </h2>
      )}
    </section>
  );
}

function Newest({ training, onStop }: { training: Training; onStop: () => void }) {
  const { run, kind, state, problem, adaptation } = training;
  const done = kind === 'adapt' ? 'adapted' : 'trained';
  return (
    <div class="start-newest" role="status">
      <span>
        <b>{run}</b> {state === 'running' && `is being ${done}; its curves grow below.`}
        {state === 'stopping' && 'stops after this step; what was learned is kept.'}
        {state === 'finished' &&
          kind === 'train' &&
          'has been trained. Quality and Space show what it gained.'}
        {state === 'finished' && kind === 'adapt' && 'has ended.'}
        {state === 'stopped' && 'was stopped. Start it again under the same name and it goes on.'}
        {state === 'failed' && `could not be ${done}.`}
      </span>
      {state === 'running' && <Button onClick={onStop}>Stop</Button>}
      {problem && <pre class="start-problem">{problem}</pre>}
      {state === 'finished' && adaptation && <AdaptationResult run={run} adaptation={adaptation} />}
      {state === 'finished' && kind === 'train' && (
        <Link href={pathWith('/before-after', { run })}>Search before and after, side by side</Link>
      )}
    </div>
  );
}

/** There is nothing to choose but a name: what is learned from, and how, goes by what the documents have. */
function AdaptForm({ onStart }: { onStart: (run: string) => void }) {
  const start = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    onStart(String(new FormData(event.currentTarget).get('run')).trim());
  };
  return (
    <form class="start-form" onSubmit={start}>
      <p class="soft">
        Queries are made of the documents themselves: their headings, links, questions and sentences. The
        model learns to find the document behind each. Some queries, of a kind that is not learned from, are
        held out, and the model as published stays unless these are answered better by more than chance.
        Nothing leaves this machine. It takes some minutes for hundreds of documents; searching goes on
        meanwhile.
      </p>
      <div class="start-fields">
        <label class="field">
          Call it
          <input name="run" required pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]{0,99}" defaultValue="adapted" />
        </label>
        <Button type="submit" kind="primary">
          Adapt
        </Button>
      </div>
      <p class="small">
        Documents that are still missing can be <Link href="/add">added</Link> first. With questions of your
        own it is judged more surely: <code>nearmiss adapt DIR --questions FILE</code>.
      </p>
    </form>
  );
}

interface Choice {
  run: string;
  recipe?: string;
  split?: string;
}

function ChoiceForm({ offer, onStart }: { offer: TrainingsAnswer; onStart: (choice: Choice) => void }) {
  const [recipe, setRecipe] = useState(offer.recipes[0]?.name ?? '');
  const about = offer.recipes.find(({ name }) => name === recipe)?.description;
  const usual = offer.splits.find(({ name }) => name === 'train') ?? offer.splits[0];
  const start = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    onStart({ run: String(typed.get('run')).trim(), recipe, split: String(typed.get('split')) });
  };
  return (
    <form class="start-form" onSubmit={start}>
      <p class="soft">
        A model learns from pairs of a query and a document that answers it, and from documents that look
        alike and do not. It takes minutes for small collections and hours for large ones; searching goes on
        meanwhile.
      </p>
      <div class="start-fields">
        <label class="field">
          Learn from
          <select name="split" defaultValue={usual?.name}>
            {offer.splits.map(({ name, judgments, queries }) => (
              <option key={name} value={name}>
                {name}: {judgments.toLocaleString('en')} judgments of {queries.toLocaleString('en')} queries
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Recipe
          <select value={recipe} onChange={(event) => setRecipe(event.currentTarget.value)}>
            {offer.recipes.map(({ name }, nth) => (
              <option key={name} value={name}>
                {name}
                {nth === 0 && ' (usual)'}
              </option>
            ))}
          </select>
        </label>
        <label class="field">
          Call it
          <input name="run" required pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]{0,99}" defaultValue="my-model" />
        </label>
        <Button type="submit" kind="primary">
          Start
        </Button>
      </div>
      {about && (
        <p class="small">
          <Term id="recipe">{recipe}</Term>: {about}
        </p>
      )}
    </form>
  );
}

function NotPossible({ offer: { reason } }: { offer: TrainingsAnswer }) {
  return (
    <div class="stack">
      <p>Not yet: {reason}.</p>
      <p class="soft small">
        A <Term id="judgment">judgment</Term> is made with the two buttons at a hit. On the command line:{' '}
        <code>nearmiss train --data DIR --out runs/first</code>, and{' '}
        <code>nearmiss serve DIR --runs runs</code> shows it here.
      </p>
    </div>
  );
}
