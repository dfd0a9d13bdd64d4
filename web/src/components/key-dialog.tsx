import { useEffect, useRef } from 'preact/hooks';
import { apiKey, keyWanted } from '../api-key.js';
import { useStore } from '../store.js';
import { Button } from './button.js';

/** Opens by itself when the server answers 401; a new key sends every request on the page again. */
export function KeyDialog() {
  const wanted = useStore(keyWanted);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!wanted || !dialog.current || dialog.current.open) return;
    dialog.current.returnValue = '';
    dialog.current.showModal();
  }, [wanted]);

  const submit = (event: Event) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget as HTMLFormElement).get('key');
    dialog.current?.close(String(typed).trim());
  };
  // The browser tells of the closing some time after it. Only then may a key be used: were its refusal here earlier,
  // this would take back the wish for another key, and the page would stand there without asking.
  const closed = () => {
    keyWanted.set(false);
    const key = dialog.current?.returnValue;
    if (key) apiKey.set(key);
  };
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby="key-title" onClose={closed}>
      <form onSubmit={submit}>
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
          <Button kind="quiet" onClick={() => dialog.current?.close()}>
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
