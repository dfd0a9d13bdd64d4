import { useRef, useState } from 'preact/hooks';
import { addressOf, api, type SearchMode } from '../api.js';
import { Button } from '../components/index.js';
import { curlOf } from './curl.js';
import type { SearchState } from './search-state.js';

const FORMATS = { json: 'JSON', csv: 'CSV, for a spreadsheet', trec: 'TREC run file' } as const;

/** The hits of a column as a file, and the search as a command. */
export function ExportMenu({ state, mode }: { state: SearchState; mode: SearchMode }) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [said, setSaid] = useState('');
  const close = () => menu.current?.removeAttribute('open');
  const query = {
    q: state.query,
    mode,
    k: state.k,
    filter: state.filter || undefined,
    groupBy: state.byFile ? 'file' : undefined,
  };
  const copy = async () => {
    const address = `${location.origin}${addressOf('/v1/search', query)}`;
    setSaid((await copied(curlOf(address))) ? 'Copied' : 'The browser does not let the page copy');
    close();
  };
  const save = async (format: keyof typeof FORMATS) => {
    close();
    try {
      const content = await api.text('/v1/search', { query: { ...query, format } });
      download(content, `${fileName(state.query)}-${mode}.${format}`);
      setSaid('');
    } catch (error) {
      setSaid((error as Error).message);
    }
  };
  return (
    <span class="export">
      <details
        class="menu"
        ref={menu}
        onFocusOut={({ relatedTarget }) => {
          // Left by Tab or a click elsewhere, it would cover what is below it.
          if (relatedTarget !== null && !menu.current?.contains(relatedTarget as Node)) close();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          close();
          menu.current?.querySelector('summary')?.focus();
        }}
      >
        <summary>Export</summary>
        <div class="menu-items">
          <Button kind="quiet" onClick={copy}>
            Copy as curl
          </Button>
          {Object.entries(FORMATS).map(([format, label]) => (
            <Button key={format} kind="quiet" onClick={() => save(format as keyof typeof FORMATS)}>
              {label}
            </Button>
          ))}
        </div>
      </details>
      <span class="soft small" role="status">
        {said}
      </span>
    </span>
  );
}

async function copied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

function fileName(query: string): string {
  return query.replace(/[^\p{L}\p{N}]+/gu, '-').slice(0, 60) || 'hits';
}

function download(content: string, name: string): void {
  const address = URL.createObjectURL(new Blob([content]));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
