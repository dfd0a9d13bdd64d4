import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { NearmissError, shorten } from '../base/errors.js';
import { formatDuration } from '../base/progress.js';
import { type Completion, readCompletion } from './completion.js';
import { type Example, queriesIn, renderPrompt } from './prompt.js';
import { distinctQueries, type Passage, type QueryGenerator, type Spent } from './query-generator.js';
import { NoQueries, refusal, TryAgain, unanswered } from './request-failures.js';

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
  /** Told why a request is sent again. */
  onRetry?: (reason: string) => void;
}

const MILLION = 1e6;
const MINUTE_MS = 60_000;

/** What a service's wish to be asked later may amount to: whoever is to wait longer is told instead. */
const MOST_SECONDS = 3600;

/** Passages in a row that may go without queries before it is the service that is taken to be at fault. */
const MOST_WITHOUT = 10;

const HINT = 'what was written is kept: begin again with the same command, or raise --retries and --timeout';
const ASKED_WRONG =
  'check the address (it ends before /chat/completions) and --generator-model; long documents can be split: --split-words';

/** How far the seeds of a passage's attempts are apart: asked alike, a service would say the same again. */
const SEEDS_APART = 1_000_003;

/** Any service with OpenAI's chat completions: one request a passage, sent again where it failed. */
export class EndpointGenerator implements QueryGenerator {
  readonly name: string;
  readonly fingerprint: string;
  readonly atOnce: number;
  readonly spent: Spent = { tokens: 0, read: 0, retries: 0 };
  readonly #options: EndpointOptions;
  /** When the next request may be sent. */
  #nextAt = 0;
  /** Passages without queries since the last that had some; until one has, none may be without. */
  #without = MOST_WITHOUT;
  /** What the service calls the most tokens of an answer: newer models of OpenAI refuse the older name. */
  #limit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(options: EndpointOptions) {
    const { url, model, count, temperature, seed, prompt, examples, maxTokens } = options;
    if (!URL.canParse(url)) {
      throw new NearmissError(`${url}: expected the address of a service, e.g. http://localhost:11434/v1`, {
        hint: 'check the host and the port',
      });
    }
    this.name = `${model} at ${url}`;
    this.#options = options;
    this.atOnce = options.concurrency ?? 4;
    this.fingerprint = createHash('sha256')
      .update(JSON.stringify([url, model, count, temperature, seed, prompt, examples, maxTokens]))
      .digest('hex');
  }

  async generate(passages: readonly Passage[]): Promise<string[][]> {
    // Where one fails for good, nobody waits for what the others would have brought.
    const stop = new AbortController();
    try {
      return await Promise.all(passages.map((passage) => this.#ask(passage, stop.signal)));
    } finally {
      stop.abort();
    }
  }

  async close(): Promise<void> {}

  async #ask(passage: Passage, signal: AbortSignal): Promise<string[]> {
    const { retries = 5, backoffSeconds = 1, onRetry } = this.#options;
    for (let attempt = 0; ; attempt++) {
      try {
        const queries = await this.#askOnce(passage, attempt, signal);
        this.#without = 0;
        return queries;
      } catch (error) {
        if (error instanceof NoQueries && (error.forGood || attempt >= retries)) {
          return this.#leaveOut(passage, error);
        }
        if (!(error instanceof TryAgain)) throw error;
        const seconds = error.afterSeconds ?? backoffSeconds * 2 ** attempt;
        if (seconds > MOST_SECONDS) throw this.#failed(passage, askedToWait(error, seconds));
        if (attempt >= retries) throw this.#failed(passage, error, attempt + 1);
        this.spent.retries++;
        onRetry?.(error.message);
        await wait(1000 * seconds, undefined, { signal });
      }
    }
  }

  /** A passage about which the service has nothing to say does not keep the others from being asked about. */
  #leaveOut(passage: Passage, error: NoQueries): string[] {
    if (this.#without >= MOST_WITHOUT) throw this.#failed(passage, error);
    this.#without++;
    this.spent.without = { passages: (this.spent.without?.passages ?? 0) + 1, reason: error.message };
    return [];
  }

  #failed({ text }: Passage, error: Error, attempts = 1): NearmissError {
    const times = attempts === 1 ? '' : `, ${attempts} times`;
    return new NearmissError(
      `${this.name}: ${error.message}${times}, for the passage ${JSON.stringify(shorten(text))}`,
      { hint: error instanceof NoQueries && error.forGood ? ASKED_WRONG : HINT, cause: error },
    );
  }

  async #askOnce({ key, text }: Passage, attempt: number, signal: AbortSignal): Promise<string[]> {
    const { model, count, temperature, seed, maxTokens = 64 * count, timeoutSeconds = 120 } = this.#options;
    await this.#turn(signal);
    const limit = this.#limit;
    const response = await fetch(this.#address(), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(this.#options.key && { authorization: `Bearer ${this.#options.key}` }),
      },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: renderPrompt(text, this.#options) }],
        temperature,
        [limit]: maxTokens,
        seed: seed + key + attempt * SEEDS_APART,
      }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]),
    }).catch((error: Error) => {
      throw unanswered(error, timeoutSeconds);
    });
    const body = await response.text().catch((error: Error) => {
      throw new TryAgain(`the answer broke off (${error.message})`);
    });
    if (response.status === 400 && limit === 'max_tokens' && body.includes('max_completion_tokens')) {
      this.#limit = 'max_completion_tokens';
      return this.#askOnce({ key, text }, attempt, signal);
    }
    if (!response.ok) throw refusal(response, body, this.name);
    const completion = readCompletion(body);
    this.#count(completion);
    const { content, cut } = completion;
    const queries = distinctQueries(queriesIn(content, { cut })).slice(0, count);
    if (queries.length > 0) return queries;
    const why = cut
      ? `, cut off behind ${maxTokens} tokens (--max-tokens allows ${maxTokens / count} a query)`
      : '';
    throw new NoQueries(`the answer has no queries${why}: ${JSON.stringify(shorten(body))}`);
  }

  #count({ read, written }: Completion): void {
    this.spent.read += read ?? 0;
    this.spent.tokens += written ?? 0;
    const { price } = this.#options;
    if (!price || (read === undefined && written === undefined)) return;
    const cost = ((read ?? 0) * price.read + (written ?? 0) * price.written) / MILLION;
    this.spent.cost = (this.spent.cost ?? 0) + cost;
  }

  #address(): string {
    return `${this.#options.url.replace(/\/+$/, '').replace(/\/chat\/completions$/, '')}/chat/completions`;
  }

  /** Waits until a request may be sent. */
  async #turn(signal: AbortSignal): Promise<void> {
    const { perMinute } = this.#options;
    if (!perMinute) return;
    const now = Date.now();
    const at = Math.max(now, this.#nextAt);
    this.#nextAt = at + MINUTE_MS / perMinute;
    if (at > now) await wait(at - now, undefined, { signal });
  }
}

function askedToWait({ message }: Error, seconds: number): Error {
  return new Error(`${message}; it asks to wait ${formatDuration(seconds)}`);
}
