import './add.css';
import type { TargetedDragEvent, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, api, type NewDocument } from '../api.js';
import { Button, EmptyState, ErrorState, Spinner } from '../components/index.js';
import { Link, useTitle } from '../router.js';
import { useServerInfo } from '../server-info.js';
import { ACCEPTED, documentsOf, FileProblem } from './read-files.js';

/** Sent at once: far below what a server takes. */
const AT_ONCE = 100;
const BYTES_AT_ONCE = 2_000_000;

/** Puts documents in: files that are dropped or chosen, or a text that is pasted. */
export function AddPage() {
  useTitle('Add documents');
  const info = useServerInfo();
  if (info.error && !info.data) return <ErrorState error={info.error} onRetry={info.reload} />;
  if (!info.data) return <Spinner label="Asking the server" />;
  if (!info.data.writable) {
    return (
      <EmptyState title="This server takes no documents">
        <p>
          It was started with <code>--read-only</code>, or for other machines without <code>--keys</code>.
        </p>
      </EmptyState>
    );
  }
  return <Add />;
}

interface Outcome {
  added: number;
  replaced: number;
  problems: string[];
  first?: NewDocument;
}

function Add() {
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState<{ done: number; total: number } | undefined>();
  const [outcome, setOutcome] = useState<Outcome | undefined>();

  const put = async (documents: readonly NewDocument[], problems: string[]) => {
    const result: Outcome = { added: 0, replaced: 0, problems, first: documents[0] };
    setOutcome(undefined);
    setProgress({ done: 0, total: documents.length });
    let done = 0;
    for (const part of partsOf(documents)) {
      try {
        const { added, replaced } = await api.addDocuments(part);
        result.added += added;
        result.replaced += replaced;
      } catch (error) {
        problems.push(`${part.length} documents were not taken: ${messageOf(error)}`);
        // A key that is missing is missing for the rest, too.
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) break;
      }
      done += part.length;
      setProgress({ done, total: documents.length });
    }
    setProgress(undefined);
    setOutcome(result);
  };

  const takeFiles = async (files: Iterable<File>) => {
    const documents: NewDocument[] = [];
    const problems: string[] = [];
    for (const file of files) {
      try {
        if (!ACCEPTED.some((ending) => file.name.toLowerCase().endsWith(ending))) {
          throw new FileProblem(`${file.name}: only ${ACCEPTED.join(' ')}`);
        }
        documents.push(...documentsOf(file.name, await file.text()));
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
    await put(documents, problems);
  };

  const drop = (event: TargetedDragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(false);
    void takeFiles(event.dataTransfer?.files ?? []);
  };
  const paste = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form);
    const text = String(typed.get('text'));
    const title = String(typed.get('title')).trim();
    const id = String(typed.get('id')).trim() || `pasted-${Date.now().toString(36)}`;
    void put([{ id, text, ...(title && { title }) }], []).then(() => form.reset());
  };
  return (
    <div class="add">
      <h1>Add documents</h1>
      <p class="soft">
        They can be found as soon as they are in, and stay when the server is restarted. One with an id that
        is there already replaces it. The collection’s own files are not touched.
      </p>
      <section
        class={over ? 'drop drop-over' : 'drop'}
        aria-label="Files"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <p>Drop files here, or</p>
        <label class="button button-primary">
          Choose files
          <input
            class="visually-hidden"
            type="file"
            multiple
            accept={ACCEPTED.join(',')}
            onChange={(event) => {
              const { files } = event.currentTarget;
              if (files) void takeFiles([...files]);
            }}
          />
        </label>
        <p class="soft small">
          Texts, Markdown and HTML make a document each; lines of JSON (<code>id</code>, <code>title</code>,{' '}
          <code>text</code>, anything else as metadata) and tables with a column <code>text</code> many.
        </p>
      </section>
      <form class="paste" onSubmit={paste} aria-label="Paste a text">
        <h2>Or paste a text</h2>
        <label class="field">
          Title
          <input name="title" maxLength={500} autocomplete="off" />
        </label>
        <label class="field">
          Id <span class="soft">(made up where it is empty)</span>
          <input name="id" maxLength={500} autocomplete="off" />
        </label>
        <label class="field paste-text">
          Text
          <textarea name="text" rows={8} required maxLength={1_000_000} />
        </label>
        <Button type="submit" kind="primary">
          Add
        </Button>
      </form>
      <div role="status" class="stack">
        {progress && (
          <div class="progress-line">
            <progress value={progress.done} max={Math.max(1, progress.total)} aria-label="Documents sent" />
            <span class="soft small">
              {progress.done.toLocaleString('en')} of {progress.total.toLocaleString('en')} documents
            </span>
          </div>
        )}
        {outcome && <OutcomeNote {...outcome} />}
      </div>
    </div>
  );
}

function OutcomeNote({ added, replaced, problems, first }: Outcome) {
  return (
    <div class="note">
      <p>
        {added.toLocaleString('en')} added, {replaced.toLocaleString('en')} replaced.{' '}
        {first && added + replaced > 0 && (
          <Link href={`/document/${encodeURIComponent(first.id)}`}>Look at {first.title ?? first.id}</Link>
        )}
      </p>
      {problems.length > 0 && (
        <ul class="bad small">
          {problems.map((problem) => (
            <li key={problem}>{problem}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Few enough, and small enough, for one request each. */
function* partsOf(documents: readonly NewDocument[]): Generator<NewDocument[]> {
  let part: NewDocument[] = [];
  let size = 0;
  for (const document of documents) {
    if (part.length === AT_ONCE || (part.length > 0 && size + document.text.length > BYTES_AT_ONCE)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(document);
    size += document.text.length;
  }
  if (part.length > 0) yield part;
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.hint) return `${error.message} (${error.hint})`;
  return (error as Error).message;
}
