import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import type { MiningPreview } from '../../../src/serve/answers/trainings.js';
import { Button, ErrorState, Spinner } from '../components/index.js';
import { Table } from '../components/table.js';
import { Term } from '../components/term.js';
import { modeText } from '../modes.js';
import { Link } from '../router.js';
import { useServerInfo } from '../server-info.js';
import { formatCount, formatMeasure, formatShare } from './format.js';
import { type MiningChoice, runsApi, type TrainingsAnswer } from './runs-api.js';

/** What ranks by words or by vectors, and so may be mined from. */
const RANKERS = ['bm25', 'dense'];

/** Why a rule drops a candidate. */
const REASONS: Record<string, string> = {
  'known-positives': 'known answer',
  duplicates: 'same text as an answer',
  'skip-ranks': 'among the first ranks',
  'relative-margin': 'scores almost like the answer',
  margin: 'scores almost like the answer',
  'max-score': 'scores too high',
};

/** What rules would keep and drop among the hardest candidates, before anything is trained. */
export function MiningPreviewPart({ splits }: { splits: TrainingsAnswer['splits'] }) {
  const modes = (useServerInfo().data?.modes ?? []).filter((mode) => RANKERS.includes(mode));
  const [preview, setPreview] = useState<MiningPreview | undefined>();
  const [problem, setProblem] = useState<Error | undefined>();
  const [isLooking, setIsLooking] = useState(false);
  const look = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    setIsLooking(true);
    try {
      setPreview(await runsApi.previewRules(choiceIn(typed)));
      setProblem(undefined);
    } catch (error) {
      setProblem(error as Error);
    }
    setIsLooking(false);
  };
  if (modes.length === 0) return <Spinner label="Asking what can rank" />;
  const usual = splits.find(({ name }) => name === 'train') ?? splits[0];
  return (
    <div class="stack mining-preview">
      <form class="start-form" onSubmit={look}>
        <p class="soft">
          <Term id="negative">Negatives</Term> are what ranks high and is not known to answer. Some of it does
          answer, and nobody has said so: rules leave out what is likely to. See for a few queries what each
          keeps (−) and drops (×) before you train.
        </p>
        <div class="start-fields">
          <label class="field">
            Queries of
            <select name="split" defaultValue={usual?.name}>
              {splits.map(({ name }) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </label>
          <label class="field">
            Ranked by
            <select name="mode">
              {modes.map((mode) => (
                <option key={mode} value={mode}>
                  {modeText(mode).label}
                </option>
              ))}
            </select>
          </label>
          <NumberField name="skipRanks" label="Leave out the first ranks" max={100} step={1} />
          <NumberField
            name="relativeMargin"
            label="Drop above this share of the answer’s score"
            max={1}
            step={0.01}
          />
          <NumberField name="margin" label="Drop above the answer’s score minus" max={1000} step={0.01} />
          <Button type="submit" kind="primary">
            Preview
          </Button>
        </div>
      </form>
      {isLooking && <Spinner label="Ranking some queries" />}
      {problem && <ErrorState error={problem} />}
      {preview && !problem && <Preview preview={preview} />}
    </div>
  );
}

function NumberField({ name, label, max, step }: { name: string; label: string; max: number; step: number }) {
  return (
    <label class="field">
      {label}
      <input name={name} type="number" min={0} max={max} step={step} placeholder="off" />
    </label>
  );
}

/** What is left empty is off. */
function choiceIn(typed: FormData): MiningChoice {
  const numbers = ['skipRanks', 'relativeMargin', 'margin'].flatMap((name) => {
    const value = String(typed.get(name) ?? '').trim();
    return value === '' ? [] : [[name, Number(value)] as const];
  });
  return {
    split: String(typed.get('split')),
    mode: String(typed.get('mode')),
    ...Object.fromEntries(numbers),
  };
}

function Preview({ preview: { queries, ranked, kept, removed, samples } }: { preview: MiningPreview }) {
  const drops = Object.entries(removed).filter(([, count]) => count > 0);
  const share = (part: number) => (ranked === 0 ? '' : formatShare(part / ranked));
  return (
    <section class="stack" aria-label="What the rules do">
      <p role="status">
        Of {formatCount(ranked)} candidates of {formatCount(queries)} queries, {formatCount(kept)} are kept (
        {share(kept)}).
        {drops.length > 0 &&
          ` Dropped: ${drops.map(([rule, count]) => `${formatCount(count)} (${reasonOf(rule)})`).join(', ')}.`}
      </p>
      {samples.map(({ id, query, positives, negatives, dropped }) => (
        <Table
          key={id}
          caption={query}
          columns={[
            { name: 'What becomes of it', cell: ({ mark }) => mark },
            { name: 'Rank', numeric: true, cell: ({ rank }) => rank ?? '–' },
            {
              name: 'Score',
              numeric: true,
              cell: ({ score }) => (score === undefined ? '' : formatMeasure(score)),
            },
            {
              name: 'Document',
              cell: ({ id: document, text }) => (
                <Link href={`/document/${encodeURIComponent(document)}`}>{text || document}</Link>
              ),
            },
          ]}
          rows={[
            ...positives.map((document) => ({ ...document, mark: '+ answers' })),
            ...negatives.map((document) => ({ ...document, mark: '− kept' })),
            ...dropped.map((document) => ({ ...document, mark: `× ${reasonOf(document.rule)}` })),
          ]}
          rowKey={({ id: document, mark }) => `${mark} ${document}`}
        />
      ))}
    </section>
  );
}

function reasonOf(rule: string): string {
  return REASONS[rule] ?? rule;
}
