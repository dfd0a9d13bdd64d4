import './document.css';
import { api, type DocumentAnswer, type Place } from '../api.js';
import { ErrorState, Spinner } from '../components/index.js';
import { Link, matchPath, usePlace, useTitle } from '../router.js';
import { showValue } from '../search/filter-conditions.js';
import { Highlighted } from '../search/highlighted.js';
import { ownMetadata, placeText } from '../search/place.js';
import { documentPath, pathOf, readState, type SearchState } from '../search/search-state.js';
import { useRequest } from '../use-request.js';
import { markWords } from './mark-words.js';
import { Neighbours } from './neighbours.js';
import { TextView } from './text-view.js';

/** A document's whole text, what is known about it, and the documents nearest to it. */
export function DocumentPage() {
  const { path, params } = usePlace();
  const { id } = matchPath('/document/:id', path)!;
  const state = readState(params);
  const query = state.query || undefined;
  const document = useRequest(JSON.stringify([id, query]), (signal) =>
    api.document(id, { signal, query: { query } }),
  );
  useTitle(document.data?.title ?? id);
  return (
    <>
      <Link class="back" href={pathOf(state)}>
        ← {state.query ? `Results for “${state.query}”` : 'Search'}
      </Link>
      {document.error && <ErrorState error={document.error} onRetry={document.reload} />}
      {!document.data && document.loading && <Spinner label="Loading the document" />}
      {document.data && (
        <div class="document">
          <Text document={document.data} state={state} />
          <Neighbours id={id} state={state} />
        </div>
      )}
    </>
  );
}

function Text({ document, state }: { document: DocumentAnswer; state: SearchState }) {
  const { id, title, text, metadata = {}, highlights, titleHighlights = [], place } = document;
  const fields = ownMetadata(metadata, place);
  return (
    <article>
      <h1>{title ? <Highlighted text={title} highlights={titleHighlights} /> : id}</h1>
      <p class="soft small">
        <span class="mono">{place ? placeText(place) : id}</span> ·{' '}
        {text.split(/\s+/).filter(Boolean).length.toLocaleString('en')} words
      </p>
      {fields.length > 0 && (
        <dl class="metadata">
          {fields.map(([field, value]) => (
            <div key={field}>
              <dt>{field}</dt>
              <dd>{showValue(value)}</dd>
            </div>
          ))}
        </dl>
      )}
      <TextView {...(highlights ? { text, highlights } : markWords(text, state.query))} />
      {place && <Around place={place} state={state} />}
    </article>
  );
}

/** The passages before and behind this one in its file. */
function Around({ place: { path, previous, next }, state }: { place: Place; state: SearchState }) {
  if (previous === undefined && next === undefined) return null;
  return (
    <nav class="document-around" aria-label={`Passages of ${path}`}>
      {previous !== undefined && <Link href={documentPath(previous, state)}>← Previous passage</Link>}
      {next !== undefined && <Link href={documentPath(next, state)}>Next passage →</Link>}
    </nav>
  );
}
