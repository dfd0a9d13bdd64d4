import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { addressOf } from '../api.js';
import { apiKey } from '../api-key.js';
import { Button } from '../components/index.js';
import { exampleOf, jsonOf, type Operation, type Schemas } from './openapi.js';

/** Longer answers are shown in part. */
const SHOWN = 20_000;

interface Answer {
  status: string;
  text: string;
}

/** Sends a request of the reader's own and shows what comes back. */
export function TryIt({ operation, schemas }: { operation: Operation; schemas: Schemas }) {
  const { method, path, parameters = [], requestBody } = operation;
  const body = jsonOf(requestBody);
  const [answer, setAnswer] = useState<Answer | undefined>();
  const send = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    const typedFor = (name: string) => String(typed.get(name) ?? '').trim();
    const inQuery = parameters.filter(
      (parameter) => parameter.in === 'query' && typedFor(parameter.name) !== '',
    );
    const address = addressOf(
      path.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(typedFor(name))),
      Object.fromEntries(inQuery.map(({ name }) => [name, typedFor(name)])),
    );
    setAnswer(await ask(method, address, body && String(typed.get('body'))));
  };
  return (
    <form class="api-try" onSubmit={send}>
      <div class="api-try-fields">
        {parameters
          .filter((parameter) => parameter.in !== 'header')
          .map(({ name, required }) => (
            <label key={name} class="field">
              {name}
              <input name={name} required={required} autocomplete="off" />
            </label>
          ))}
      </div>
      {body && (
        <label class="field">
          Body
          <textarea name="body" rows={6} spellcheck={false}>
            {JSON.stringify(exampleOf(body, schemas), null, 2)}
          </textarea>
        </label>
      )}
      <div>
        <Button type="submit">Send</Button>{' '}
        {method !== 'GET' && <span class="soft small">to this server, which does it</span>}
      </div>
      <div role="status">
        {answer && (
          <>
            <p class="mono small">{answer.status}</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
            <pre class="api-answer" tabIndex={0}>
              {answer.text}
            </pre>
          </>
        )}
      </div>
    </form>
  );
}

async function ask(method: string, address: string, body: string | undefined): Promise<Answer> {
  const key = apiKey.get();
  const headers: Record<string, string> = key ? { authorization: `Bearer ${key}` } : {};
  if (body !== undefined) headers['content-type'] = 'application/json';
  const begin = performance.now();
  try {
    const response = await fetch(address, { method, headers, body });
    const text = await response.text();
    const took = Math.round(performance.now() - begin);
    return { status: `${response.status} ${response.statusText}, ${took} ms`, text: shorten(indented(text)) };
  } catch {
    return { status: 'The server does not answer.', text: '' };
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function shorten(text: string): string {
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}\n… ${text.length - SHOWN} more characters` : text;
}
