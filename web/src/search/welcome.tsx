import { api, type ServerInfo } from '../api.js';
import { modeNames, modeText, whyMissing } from '../modes.js';
import { Link } from '../router.js';
import { useRequest } from '../use-request.js';
import { pathOf, type SearchState } from './search-state.js';

/** Before the first query: what is served, something to try, what the modes do, which keys work. */
export function Welcome({ info, state }: { info: ServerInfo; state: SearchState }) {
  return (
    <div class="welcome">
      <ExampleQueries state={state} />
      <dl class="facts">
        <div>
          <dt>Documents</dt>
          <dd>{info.documents.toLocaleString('en')}</dd>
        </div>
        {info.model && <ModelFact model={info.model} />}
      </dl>
      <ul class="mode-list">
        {modeNames(info.modes).map((mode) => (
          <li key={mode} class={`mode-${mode} ${info.modes.includes(mode) ? '' : 'mode-missing'}`}>
            <b>{modeText(mode).label}</b>
            <span class="mode-about">
              {info.modes.includes(mode) ? modeText(mode).about : whyMissing(mode, info.coming)}
            </span>
          </li>
        ))}
      </ul>
      <p class="keys soft small">
        <kbd>/</kbd> search box <kbd>↑</kbd> <kbd>↓</kbd> through the hits <kbd>←</kbd> <kbd>→</kbd> between
        columns <kbd>Enter</kbd> open <kbd>+</kbd> <kbd>-</kbd> right or wrong
      </p>
      <p class="soft small">
        Programs ask the <Link href="/docs">HTTP API</Link>. The <Link href="/glossary">glossary</Link>{' '}
        explains the words.
      </p>
    </div>
  );
}

function ModelFact({ model }: { model: NonNullable<ServerInfo['model']> }) {
  const { label, base, trainedAt, dimension } = model;
  const day = trainedAt && new Date(trainedAt);
  return (
    <div>
      <dt>Model</dt>
      <dd>
        {label}{' '}
        <span class="soft">
          ·{' '}
          {day ? (
            <>
              trained{base && ` from ${base}`} on{' '}
              <time dateTime={trainedAt} title={day.toLocaleString()}>
                {day.toLocaleDateString('en', { year: 'numeric', month: 'long', day: 'numeric' })}
              </time>
            </>
          ) : (
            'untrained: as published'
          )}{' '}
          · {dimension} dimensions
        </span>
      </dd>
    </div>
  );
}

/** A click asks one of them. */
function ExampleQueries({ state }: { state: SearchState }) {
  const found = useRequest('examples', (signal) => api.examples({ signal }));
  const queries = found.data?.queries ?? [];
  if (queries.length === 0) return null;
  return (
    <section class="examples" aria-labelledby="examples-title">
      <h2 id="examples-title">Try</h2>
      <ul>
        {queries.map((query) => (
          <li key={query}>
            <Link href={pathOf({ ...state, query })}>{query}</Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
