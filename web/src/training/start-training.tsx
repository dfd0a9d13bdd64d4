import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { Coded } from '../components/coded.js';
import { Button, ErrorState, Spinner } from '../components/index.js';
import { Term } from '../components/term.js';
import { Link, pathWith } from '../router.js';
import { MiningPreviewPart } from './mining-preview.js';
import type { Training, TrainingsAnswer } from './runs-api.js';
import type { TrainingChoice, Trainings } from './use-trainings.js';

export interface StartTrainingProps {
  trainings: Trainings;
  /** Names that are taken. */
  runs: readonly string[];
  /** The forms are open: there is nothing else to look at. */
  isOpen?: boolean;
}

/** Starts a training on the served collection, and stops it. */
export function StartTraining({ trainings, runs, isOpen }: StartTrainingProps) {
  const { offer, isAsking, isRunning, problem, start, stop } = trainings;
  if (!offer) return isAsking ? <Spinner label="Asking what can be trained" /> : null;
  const { newest, possible, adaptable } = offer;
  return (
    <section class="panel start-training" aria-labelledby="start-title">
      {newest && <Newest training={newest} onStop={() => stop(newest.run)} />}
      {problem && <ErrorState error={problem} />}
      {!isRunning && adaptable && (
        <details open={isOpen && !possible}>
          <summary>
            <h2>Adapt a model to these documents, without labels</h2>
          </summary>
          <AdaptForm
            name={freeName('adapted', runs)}
            questions={offer.questions}
            onStart={(run) => start({ run, kind: 'adapt' })}
          />
        </details>
      )}
      {!isRunning && (
        <details open={isOpen && (possible || !adaptable)}>
          <summary>
            <h2 id="start-title">Train a model on labels</h2>
          </summary>
          {possible ? (
            <ChoiceForm offer={offer} name={freeName('my-model', runs)} onStart={start} />
          ) : (
            <NotPossible offer={offer} />
          )}
        </details>
      )}
      {possible && (
        <details>
          <summary>
            <h2>Preview what rules of mining drop</h2>
          </summary>
          <MiningPreviewPart splits={offer.splits} />
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

/** A name that no run has yet: `adapted`, `adapted-2`. */
function freeName(name: string, taken: readonly string[]): string {
  for (let nth = 1; ; nth++) {
    const free = nth === 1 ? name : `${name}-${nth}`;
    if (!taken.includes(free)) return free;
  }
}

function Newest({ training, onStop }: { training: Training; onStop: () => void }) {
  const { run, kind, state, problem, tooLittle } = training;
  const done = kind === 'adapt' ? 'adapted' : 'trained';
  const hasEnded = state === 'finished' && tooLittle === undefined;
  return (
    <div class="start-newest" role="status">
      <span>
        <b>{run}</b> {state === 'running' && `is being ${done}; its curves grow below.`}
        {state === 'stopping' && 'stops after this step; what was learned is kept.'}
        {hasEnded && kind === 'train' && 'has been trained. Quality and Space show what it gained.'}
        {hasEnded && kind === 'adapt' && 'has ended.'}
        {state === 'stopped' && 'was stopped. It can go on where it was.'}
        {state === 'failed' && `could not be ${done}.`}
        {tooLittle && 'has not been begun.'}
      </span>
      {state === 'running' && <Button onClick={onStop}>Stop</Button>}
      {problem && <pre class="start-problem">{problem}</pre>}
      {tooLittle && <TooLittle reason={tooLittle} />}
      {hasEnded && kind === 'adapt' && <Link href={pathWith('/training', { run })}>What came of it</Link>}
      {hasEnded && kind === 'train' && (
        <Link href={pathWith('/before-after', { run })}>Search before and after, side by side</Link>
      )}
    </div>
  );
}

function TooLittle({ reason }: { reason: string }) {
  return (
    <div class="stack adaptation">
      <p>
        <b>There is too little to learn from.</b>
      </p>
      <p class="soft">
        {reason[0].toUpperCase()}
        {reason.slice(1)}. Add more documents, or mark hits as right or wrong and train on these marks.
      </p>
    </div>
  );
}

interface AdaptFormProps {
  name: string;
  questions: TrainingsAnswer['questions'];
  onStart: (run: string) => void;
}

/** There is nothing to choose but a name: what is learned from, and how, goes by what the documents have. */
function AdaptForm({ name, questions, onStart }: AdaptFormProps) {
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
          <input name="run" required pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]{0,99}" defaultValue={name} />
        </label>
        <Button type="submit" kind="primary">
          Adapt
        </Button>
      </div>
      <p class="small">
        Documents that are still missing can be <Link href="/add">added</Link> first.
        {questions && (
          <>
            {' '}
            Questions of people tell more than made ones: from {questions.enough} queries on whose hits were
            marked as right on the <Link href="/">search page</Link>, these decide (now {questions.marked}).
          </>
        )}
      </p>
    </form>
  );
}

interface ChoiceFormProps {
  offer: TrainingsAnswer;
  name: string;
  onStart: (choice: TrainingChoice) => void;
}

function ChoiceForm({ offer, name, onStart }: ChoiceFormProps) {
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
            {offer.splits.map(({ name: split, judgments, queries }) => (
              <option key={split} value={split}>
                {split}: {judgments.toLocaleString('en')} judgments of {queries.toLocaleString('en')} queries
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
          <input name="run" required pattern="[a-zA-Z0-9][a-zA-Z0-9._\-]{0,99}" defaultValue={name} />
        </label>
        <Button type="submit" kind="primary">
          Start
        </Button>
      </div>
      {about && (
        <p class="small">
          <Term id="recipe">{recipe}</Term>: <Coded text={about} />
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
        A <Term id="judgment">judgment</Term> is made with the two buttons at a <Link href="/">hit</Link>.
      </p>
    </div>
  );
}
