import { useEffect, useRef } from 'preact/hooks';
import { apiKey, keyWanted } from '../api-key.js';
import { useStore } from '../store.js';
import { Button } from './button.js';

/** Opens by itself when the server answers 401; a new key sends every request on the page again. */
export function KeyDialog() {
  const wanted = useStore(keyWanted);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (wanted && !dialog.current?.open) dialog.current?.showModal();
    if (!wanted) dialog.current?.close();
  }, [wanted]);

  const save = (event: Event) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget as HTMLFormElement).get('key');
    keyWanted.set(false);
    apiKey.set(String(typed).trim() || undefined);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onClose={() => keyWanted.set(false)}>
      <form onSubmit={save}>
        <h2 id="key-title">API key</h2>
        <p class="soft">
          {apiKey.get() ? 'The server refused this key. ' : 'This server answers only with a key. '}
          Whoever runs it makes one with <code>nearmiss serve keys add</code>. It is kept until you close this
          tab.
        </p>
        <label class="field">
          Key
          <input name="key" type="password" autocomplete="off" required defaultValue={apiKey.get() ?? ''} />
        </label>
        <div class="dialog-buttons">
          <Button kind="quiet" onClick={() => keyWanted.set(false)}>
            Cancel
          </Button>
          <Button kind="primary" type="submit">
            Use this key
          </Button>
        </div>
      </form>
    </dialog>
  );
}
