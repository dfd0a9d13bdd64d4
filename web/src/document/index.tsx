import './document.css';
import { api, type DocumentAnswer } from '../api.js';
import { ErrorState, Spinner } from '../components/index.js';
import { Link, matchPath, usePlace, useTitle } from '../router.js';
import { showValue } from '../search/filter-conditions.js';
import { Highlighted } from '../search/highlighted.js';
import { pathOf, readState } from '../search/search-state.js';
import { useRequest } from '../use-request.js';
import { markWords } from './mark-words.js';
import { Neighbours } from './neighbours.js';

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
          <Text document={document.data} query={state.query} />
          <Neighbours id={id} state={state} />
        </div>
      )}
    </>
  );
}

function Text({ document, query }: { document: DocumentAnswer; query: string }) {
  const { id, title, text, metadata = {}, highlights, titleHighlights = [] } = document;
  const fields = Object.entries(metadata);
  return (
    <article>
      <h1>{title ? <Highlighted text={title} highlights={titleHighlights} /> : id}</h1>
      <p class="soft small">
        <span class="mono">{id}</span> · {text.split(/\s+/).filter(Boolean).length.toLocaleString('en')} words
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
      <div class="document-text">
        <Highlighted {...(highlights ? { text, highlights } : markWords(text, query))} />
      </div>
    </article>
  );
}
