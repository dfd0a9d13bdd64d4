import './add.css';
import type { TargetedDragEvent, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError, api, type Written } from '../api.js';
import { Button, EmptyState, ErrorState, Spinner } from '../components/index.js';
import { Link, useTitle } from '../router.js';
import { useServerInfo } from '../server-info.js';
import { chosenFiles, type DroppedFile, droppedFiles } from './dropped-files.js';
import { ACCEPTED, chooseFiles, type FilesRead, readFiles } from './read-files.js';

/** Sent at once: far below what a server takes, also once files are cut into passages. */
const DOCUMENTS_AT_ONCE = 100;
const FILES_AT_ONCE = 10;
const CHARACTERS_AT_ONCE = 500_000;

/** What came of sending some. */
type Sent = Pick<Written, 'added' | 'replaced'> & { first?: string; problems?: string[] };

/** Puts documents in: files that are dropped or chosen, or a text that is pasted. */
export function AddPage() {
  useTitle('Add documents');
  const info = useServerInfo();
  if (info.error && !info.data) return <ErrorState error={info.error} onRetry={info.reload} />;
  if (!info.data) return <Spinner label="Asking the server" />;
  if (!info.data.writable) {
    return (
      <EmptyState title="This server takes no documents" isPage>
        <p>It was started for reading alone, or answers other machines without asking for API keys.</p>
      </EmptyState>
    );
  }
  return <Add />;
}

interface Outcome {
  added: number;
  replaced: number;
  problems: string[];
  /** What to look at. */
  first?: { id: string; title?: string };
}

/** How far reading or sending is. */
interface WorkDone {
  done: number;
  total: number;
  unit: 'files read' | 'sent';
}

function Add() {
  const [over, setOver] = useState(false);
  const [progress, setProgress] = useState<WorkDone | undefined>();
  const [outcome, setOutcome] = useState<Outcome | undefined>();

  const put = async ({ documents, texts, gone, problems }: FilesRead) => {
    const result: Outcome = { added: 0, replaced: 0, problems, first: documents[0] };
    const total = documents.length + texts.length;
    setOutcome(undefined);
    setProgress({ done: 0, total, unit: 'sent' });
    let done = 0;
    const send = async (
      part: readonly { text: string }[],
      sending: () => Promise<Sent>,
    ): Promise<boolean> => {
      try {
        const sent = await sending();
        result.added += sent.added;
        result.replaced += sent.replaced;
        problems.push(...(sent.problems ?? []));
        if (sent.first !== undefined) result.first ??= { id: sent.first };
      } catch (error) {
        const some = part.length === 1 ? 'One was' : `${part.length} were`;
        problems.push(`${some} not taken: ${messageOf(error)}`);
        // A key that is missing is missing for the rest, too.
        if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return false;
      }
      done += part.length;
      setProgress({ done, total, unit: 'sent' });
      return true;
    };
    for (const part of partsOf(documents, DOCUMENTS_AT_ONCE)) {
      if (!(await send(part, () => api.addDocuments(part)))) break;
    }
    for (const part of partsOf(texts, FILES_AT_ONCE)) {
      if (!(await send(part, () => api.addFiles(part)))) break;
    }
    for (const id of gone) await api.delete(`/v1/documents/${encodeURIComponent(id)}`).catch(() => undefined);
    setProgress(undefined);
    setOutcome(result);
  };

  const takeFiles = async (dropped: readonly DroppedFile[]) => {
    const { read, problems } = chooseFiles(dropped);
    setOutcome(undefined);
    const found = await readFiles(read, {
      ask: api.readFile,
      onRead: (done) => setProgress({ done, total: read.length, unit: 'files read' }),
    });
    await put({ ...found, problems: [...found.problems, ...problems] });
  };

  const drop = async (event: TargetedDragEvent<HTMLElement>) => {
    event.preventDefault();
    setOver(false);
    if (event.dataTransfer) await takeFiles(await droppedFiles(event.dataTransfer));
  };
  const paste = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const typed = new FormData(form);
    const text = String(typed.get('text'));
    const title = String(typed.get('title')).trim();
    const id = String(typed.get('id')).trim() || `pasted-${Date.now().toString(36)}`;
    const documents = [{ id, text, ...(title && { title }) }];
    void put({ documents, texts: [], gone: [], problems: [] }).then(() => form.reset());
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
        <p>Drop files or a folder here, or</p>
        <div class="drop-choices">
          <FileChoice label="Choose files" accept={ACCEPTED.join(',')} onChoose={takeFiles} />
          <FileChoice label="Choose a folder" isFolder onChoose={takeFiles} />
        </div>
        <p class="soft small">
          Markdown, HTML, PDF, texts and programs are cut into passages under their headings. Rows of tables
          (CSV, TSV, Excel) and records of JSON are a document each: <code>id</code>, <code>title</code>,{' '}
          <code>text</code>, the rest as metadata; or questions with their answers.
        </p>
      </section>
      <form class="paste" onSubmit={paste} aria-label="Paste a text">
        <h2>Or paste a text</h2>
        <label class="field">
          <span>Title</span>
          <input name="title" maxLength={500} autocomplete="off" />
        </label>
        <label class="field">
          <span>
            Id <span class="soft">(made up where it is empty)</span>
          </span>
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
            <progress value={progress.done} max={Math.max(1, progress.total)} aria-label="Progress" />
            <span class="soft small">
              {progress.done.toLocaleString('en')} of {progress.total.toLocaleString('en')} {progress.unit}
            </span>
          </div>
        )}
        {outcome && <OutcomeNote {...outcome} />}
      </div>
    </div>
  );
}

function OutcomeNote({ added, replaced, problems, first }: Outcome) {
  const trainable = useServerInfo().data?.trainable;
  return (
    <div class="note">
      <p>
        {added.toLocaleString('en')} added, {replaced.toLocaleString('en')} replaced.{' '}
        {first && added + replaced > 0 && (
          <Link href={`/document/${encodeURIComponent(first.id)}`}>Look at {first.title ?? first.id}</Link>
        )}
      </p>
      {added + replaced > 0 && trainable && (
        <p>
          Next: <Link href="/training">adapt a model to these documents</Link>, without labels.
        </p>
      )}
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

interface FileChoiceProps {
  label: string;
  accept?: string;
  isFolder?: boolean;
  onChoose: (files: DroppedFile[]) => void;
}

function FileChoice({ label, accept, isFolder, onChoose }: FileChoiceProps) {
  return (
    <label class="button button-primary">
      {label}
      <input
        class="visually-hidden"
        type="file"
        multiple
        accept={accept}
        {...(isFolder && { webkitdirectory: true })}
        onChange={(event) => {
          const chosen = chosenFiles(event.currentTarget.files ?? []);
          // The same ones can be chosen again, when they have changed.
          event.currentTarget.value = '';
          onChoose(chosen);
        }}
      />
    </label>
  );
}

/** Few enough, and small enough, for one request each. */
function* partsOf<T extends { text: string }>(all: readonly T[], atOnce: number): Generator<T[]> {
  let part: T[] = [];
  let size = 0;
  for (const each of all) {
    if (part.length === atOnce || (part.length > 0 && size + each.text.length > CHARACTERS_AT_ONCE)) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(each);
    size += each.text.length;
  }
  if (part.length > 0) yield part;
}

function messageOf(error: unknown): string {
  if (error instanceof ApiError && error.hint) return `${error.message} (${error.hint})`;
  return (error as Error).message;
}
