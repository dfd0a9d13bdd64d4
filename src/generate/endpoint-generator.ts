import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { NearmissError, shorten } from '../base/errors.js';
import { type Example, queriesIn, renderPrompt } from './prompt.js';
import { distinctQueries, type Passage, type QueryGenerator, type Spent } from './query-generator.js';

export interface EndpointOptions {
  /** Base of an OpenAI-compatible service, e.g. `http://localhost:11434/v1`. */
  url: string;
  /** Which of the service's models. */
  model: string;
  /** Sent as a bearer token. */
  key?: string;
  /** Queries for each passage. */
  count: number;
  temperature: number;
  seed: number;
  /** With {passage}, {count} and {examples} in it; a usual one unless given. */
  prompt?: string;
  /** Shown to the model before the passage. */
  examples?: readonly Example[];
  /** Tokens that an answer may have. */
  maxTokens?: number;
  /** Requests under way at a time, and at most in a minute. */
  concurrency?: number;
  perMinute?: number;
  /** How often a request is sent again that failed, and how long an answer may take. */
  retries?: number;
  timeoutSeconds?: number;
  /** Price of a million tokens, read and written. */
  price?: { read: number; written: number };
  /** Seconds before the first retry, doubled each time. */
  backoffSeconds?: number;
}

const answerSchema = z.looseObject({
  choices: z.array(z.looseObject({ message: z.looseObject({ content: z.string() }) })).min(1),
  usage: z
    .looseObject({ prompt_tokens: z.number().optional(), completion_tokens: z.number().optional() })
    .optional(),
});

/** Why a request may succeed when it is sent again. */
class TryAgain extends Error {
  readonly afterSeconds: number | undefined;

  constructor(message: string, afterSeconds?: number) {
    super(message);
    this.afterSeconds = afterSeconds;
  }
}

const MILLION = 1e6;
const MINUTE_MS = 60_000;

/** Any service with OpenAI's chat completions: one request a passage, sent again where it failed. */
export class EndpointGenerator implements QueryGenerator {
  readonly name: string;
  readonly fingerprint: string;
  readonly atOnce: number;
  readonly spent: Spent = { tokens: 0, read: 0, retries: 0 };
  readonly #options: EndpointOptions;
  /** When the next request may be sent. */
  #nextAt = 0;

  constructor(options: EndpointOptions) {
    const { url, model, count, temperature, seed, prompt, examples, maxTokens } = options;
    this.name = `${model} at ${url}`;
    this.#options = options;
    this.atOnce = options.concurrency ?? 4;
    this.fingerprint = createHash('sha256')
      .update(JSON.stringify([url, model, count, temperature, seed, prompt, examples, maxTokens]))
      .digest('hex');
  }

  generate(passages: readonly Passage[]): Promise<string[][]> {
    return Promise.all(passages.map((passage) => this.#ask(passage)));
  }

  async close(): Promise<void> {}

  async #ask(passage: Passage): Promise<string[]> {
    const { retries = 5, backoffSeconds = 1 } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#askOnce(passage);
      } catch (error) {
        if (!(error instanceof TryAgain)) throw error;
        if (attempt >= retries) {
          const times = retries === 0 ? '' : `, ${retries + 1} times`;
          throw new NearmissError(
            `${this.name}: ${error.message}${times}, for the passage ${JSON.stringify(shorten(passage.text))}`,
            {
              hint: 'what was written is kept: begin again with the same command, or raise --retries and --timeout',
              cause: error,
            },
          );
        }
        this.spent.retries++;
        await wait(1000 * (error.afterSeconds ?? backoffSeconds * 2 ** attempt));
      }
    }
  }

  async #askOnce({ key, text }: Passage): Promise<string[]> {
    const { model, count, temperature, seed, maxTokens = 64 * count, timeoutSeconds = 120 } = this.#options;
    await this.#turn();
    const content = renderPrompt(text, this.#options);
    const response = await fetch(this.#address(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#options.key && { authorization: `Bearer ${this.#options.key}` }),
      },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content }],
        temperature,
        max_tokens: maxTokens,
        seed: seed + key,
      }),
      signal: AbortSignal.timeout(timeoutSeconds * 1000),
    }).catch((error: Error) => {
      const timedOut = error.name === 'TimeoutError';
      const reason = (error.cause as Error | undefined)?.message ?? error.message;
      throw new TryAgain(timedOut ? `no answer within ${timeoutSeconds} s` : `not reachable (${reason})`);
    });
    const body = await response.text().catch((error: Error) => {
      throw new TryAgain(`the answer broke off (${error.message})`);
    });
    if (!response.ok) throw this.#refused(response, body);
    const queries = distinctQueries(queriesIn(this.#answer(body))).slice(0, count);
    if (queries.length === 0)
      throw new TryAgain(`the answer has no queries: ${JSON.stringify(shorten(body))}`);
    return queries;
  }

  #answer(body: string): string {
    let parsed: z.infer<typeof answerSchema>;
    try {
      parsed = answerSchema.parse(JSON.parse(body));
    } catch {
      throw new TryAgain(`expected a chat completion, got ${JSON.stringify(shorten(body))}`);
    }
    const { prompt_tokens: read = 0, completion_tokens: written = 0 } = parsed.usage ?? {};
    this.spent.read += read;
    this.spent.tokens += written;
    const { price } = this.#options;
    if (price) {
      this.spent.cost = (this.spent.cost ?? 0) + (read * price.read + written * price.written) / MILLION;
    }
    return parsed.choices[0].message.content;
  }

  #refused(response: Response, body: string): Error {
    const { status } = response;
    const message = `status ${status}: ${shorten(body, 200)}`;
    if (status === 408 || status === 429 || status >= 500) {
      const after = Number(response.headers.get('retry-after') ?? Number.NaN);
      return new TryAgain(message, Number.isFinite(after) ? after : undefined);
    }
    return new NearmissError(`${this.name}: ${message}`, {
      hint:
        status === 401 || status === 403
          ? 'put the service’s key into the environment variable NEARMISS_GENERATOR_KEY'
          : 'check the address (it ends before /chat/completions) and --generator-model',
    });
  }

  #address(): string {
    return `${this.#options.url.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  }

  /** Waits until a request may be sent. */
  async #turn(): Promise<void> {
    const { perMinute } = this.#options;
    if (!perMinute) return;
    const now = Date.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + MINUTE_MS / perMinute;
    if (at > now) await wait(at - now);
  }
}
