import './http-api.css';
import { useEffect, useState } from 'preact/hooks';
import { Coded } from '../components/coded.js';
import { ErrorState, Spinner } from '../components/index.js';
import { useTitle } from '../router.js';
import { useRequest } from '../use-request.js';
import {
  type Content,
  type FieldRow,
  fieldRows,
  jsonOf,
  type OpenApi,
  type Operation,
  operationsByTag,
  type Schemas,
  typeName,
} from './openapi.js';
import { TryIt } from './try-it.js';

/** What programs can ask of this server, as it describes itself. */
export function HttpApiPage() {
  useTitle('HTTP API');
  const described = useRequest('openapi', readDescription);
  if (described.data) return <Reference api={described.data} />;
  if (described.error) return <ErrorState error={described.error} onRetry={described.reload} />;
  return <Spinner label="Reading what the server offers" />;
}

/** It describes the routes once, whichever collection the page is of. */
async function readDescription(signal: AbortSignal): Promise<OpenApi> {
  const response = await fetch('/openapi.json', { signal });
  if (!response.ok) throw new Error(`The server answered with status ${response.status}.`);
  return (await response.json()) as OpenApi;
}

function Reference({ api: described }: { api: OpenApi }) {
  const schemas = described.components?.schemas ?? {};
  const wanted = location.hash.slice(1);
  useEffect(() => {
    // The browser looks for the place before the page is drawn.
    if (wanted) document.getElementById(wanted)?.scrollIntoView({ block: 'start' });
  }, []);
  return (
    <div class="http-api">
      <div>
        <h1>HTTP API</h1>
        <p class="soft">
          JSON in, JSON out; nearmiss {described.info.version}. Every answer names the version of the index.
          With API keys a request has the header <code>Authorization: Bearer KEY</code>. For programs:{' '}
          <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1).
        </p>
      </div>
      {operationsByTag(described).map(({ name, text, operations }) => (
        <section key={name} aria-labelledby={`tag-${name}`}>
          <h2 id={`tag-${name}`}>
            {name} {text && <span class="soft api-tag-text">{text}</span>}
          </h2>
          {operations.map((operation) => (
            <OperationPart
              key={operation.id}
              {...{ operation, schemas }}
              isWanted={operation.id === wanted}
            />
          ))}
        </section>
      ))}
    </div>
  );
}

interface OperationPartProps {
  operation: Operation;
  schemas: Schemas;
  /** The address is of this one. */
  isWanted: boolean;
}

function OperationPart({ operation, schemas, isWanted }: OperationPartProps) {
  const { id, method, path, summary, description, requestBody, responses = {} } = operation;
  const [isOpen, setIsOpen] = useState(isWanted);
  const body = jsonOf(requestBody);
  const answers = Object.entries(responses).filter(([status]) => /^2/.test(status));
  return (
    <details
      class="api-operation"
      id={id}
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setIsOpen(currentTarget.open);
        if (currentTarget.open) history.replaceState(history.state, '', `#${id}`);
      }}
    >
      <summary>
        <span class={`api-method api-method-${method.toLowerCase()}`}>{method}</span>
        <code class="api-path">{path}</code>
        <span class="soft">{summary}</span>
      </summary>
      {isOpen && (
        <div class="api-body">
          {description && (
            <p>
              <Coded text={description} />
            </p>
          )}
          <Fields caption="In the address" rows={parameterRows(operation, schemas)} />
          {body && <Fields caption="In the body" rows={fieldRows(body, schemas)} />}
          <h3>Try it</h3>
          <TryIt {...{ operation, schemas }} />
          {answers.map(([status, content]) => (
            <Answer key={status} status={status} content={content} schemas={schemas} />
          ))}
        </div>
      )}
    </details>
  );
}

/** Folded: an answer has dozens of fields, and most readers have seen one by then. */
function Answer({ status, content, schemas }: { status: string; content: Content; schemas: Schemas }) {
  const schema = jsonOf(content);
  const rows = schema === undefined ? [] : fieldRows(schema, schemas);
  if (rows.length === 0) {
    return (
      <p>
        Answer {status}: {Object.keys(content.content ?? {}).join(', ') || 'nothing else'}
      </p>
    );
  }
  return (
    <details>
      <summary>
        Answer {status}: {rows.length} fields
      </summary>
      <FieldList rows={rows} />
    </details>
  );
}

function parameterRows({ parameters = [] }: Operation, schemas: Schemas): FieldRow[] {
  return parameters.map(({ name, required = false, description, schema }) => {
    const { default: usual, description: inSchema } = schema;
    const text = [
      description ?? inSchema ?? '',
      usual === undefined ? '' : `Default ${JSON.stringify(usual)}.`,
    ];
    return {
      path: name,
      type: typeName(schema, schemas),
      isRequired: required,
      text: text.filter(Boolean).join(' '),
    };
  });
}

function Fields({ caption, rows }: { caption: string; rows: readonly FieldRow[] }) {
  if (rows.length === 0) return null;
  return (
    <section aria-label={caption}>
      <h3>{caption}</h3>
      <FieldList rows={rows} />
    </section>
  );
}

function FieldList({ rows }: { rows: readonly FieldRow[] }) {
  return (
    <dl class="api-fields">
      {rows.map(({ path, type, isRequired, text }) => (
        <div key={path}>
          <dt>
            <code>{path}</code>
          </dt>
          <dd>
            <span class="soft small">
              {type}
              {isRequired && ', required'}
            </span>{' '}
            <Coded text={text} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
