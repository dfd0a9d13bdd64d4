import { useEffect, useRef, useState } from 'preact/hooks';
import { Button } from '../components/index.js';
import { isTyping } from './keyboard.js';

export interface SearchBoxProps {
  query: string;
  /** `final` once Enter is pressed; before that after each pause in typing. */
  onSearch: (query: string, final: boolean) => void;
}

const PAUSE_MS = 300;

export function SearchBox({ query, onSearch }: SearchBoxProps) {
  const [draft, setDraft] = useState(query);
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    // Back and forward change the query from outside; what is being typed stays.
    if (document.activeElement !== box.current) setDraft(query);
  }, [query]);

  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target))
        return;
      event.preventDefault();
      box.current?.select();
      box.current?.focus();
    };
    addEventListener('keydown', focus);
    return () => removeEventListener('keydown', focus);
  }, []);

  useEffect(() => () => clearTimeout(timer.current), []);

  const search = (final: boolean, text: string) => {
    clearTimeout(timer.current);
    onSearch(text.trim(), final);
  };
  return (
    <search>
      <form
        class="search-box"
        onSubmit={(event) => {
          event.preventDefault();
          search(true, draft);
        }}
      >
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
          <circle cx="10.5" cy="10.5" r="6.5" />
          <path d="m15.5 15.5 5 5" />
        </svg>
        <input
          id="query"
          ref={box}
          type="search"
          aria-label="Search the documents"
          placeholder="What are you looking for?"
          autocomplete="off"
          spellcheck={false}
          // biome-ignore lint/a11y/noAutofocus: searching is what the page is for
          autoFocus={!query}
          value={draft}
          onInput={(event) => {
            const text = event.currentTarget.value;
            setDraft(text);
            clearTimeout(timer.current);
            timer.current = setTimeout(() => search(false, text), PAUSE_MS);
          }}
        />
        <kbd title="Press / to search">/</kbd>
        <Button type="submit" kind="primary">
          Search
        </Button>
      </form>
    </search>
  );
}
