import { NearmissError, shorten } from '../../base/errors.js';
import { Machines } from './machines.js';

export interface EngineHttpOptions {
  /** What it is called in errors. */
  engine: string;
  /** `http://HOST:PORT`, in the order in which they are tried. */
  origins: readonly string[];
  headers?: Record<string, string>;
  /** What to do where it refuses a key. */
  keyHint: string;
  /** Time for one try; then another machine is asked. */
  tryMs?: number;
  /** Time for a request with all its tries. */
  totalMs?: number;
}

export interface EngineRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** JSON, as text. */
  body?: string;
  signal?: AbortSignal;
  /** Answers undefined where there is no such thing. */
  mayBeMissing?: boolean;
  /** Of requests that take long by nature: the time for one try, and at least that for all. */
  tryMs?: number;
  /** Of those that somebody waits for. */
  totalMs?: number;
}

/** An engine refuses what it was asked: asking again would not help. */
class EngineRefusal extends NearmissError {
  readonly status: number;

  constructor(message: string, status: number, hint?: string) {
    super(message, { hint });
    this.status = status;
  }
}

/** It may answer another time, or another machine may. */
class EngineBusy extends Error {}

const [TRY_MS, TOTAL_MS] = [20_000, 60_000];
const [TOO_MANY, SERVER_ERROR, NOT_FOUND, TIMED_OUT] = [429, 500, 404, 408];
const NO_KEY = [401, 403];

/** Asks an engine over HTTP, one machine after another. */
export class EngineHttp {
  readonly #options: EngineHttpOptions;
  readonly #machines: Machines;

  constructor(options: EngineHttpOptions) {
    this.#options = options;
    this.#machines = new Machines(options.engine, options.origins);
  }

  async json<T>(path: string, request: EngineRequest = {}): Promise<T> {
    return (await this.maybe<T>(path, request)) as T;
  }

  /** Undefined where there is no such thing and the request says that this may be. */
  async maybe<T>(path: string, request: EngineRequest = {}): Promise<T | undefined> {
    const { origins } = this.#options;
    const totalMs = request.totalMs ?? this.#options.totalMs ?? TOTAL_MS;
    return this.#machines.ask((at, leftMs) => this.#ask<T>(origins[at], path, request, leftMs), {
      totalMs: Math.max(totalMs, request.tryMs ?? 0),
      signal: request.signal,
      mayPass,
    });
  }

  async #ask<T>(
    origin: string,
    path: string,
    { method = 'GET', body, signal, mayBeMissing, tryMs }: EngineRequest,
    leftMs: number,
  ): Promise<T | undefined> {
    const { engine, headers, keyHint } = this.#options;
    const limit = AbortSignal.timeout(Math.ceil(Math.min(leftMs, tryMs ?? this.#options.tryMs ?? TRY_MS)));
    const response = await fetch(`${origin}${path}`, {
      method,
      body,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    const text = await response.text();
    const { status } = response;
    if (response.ok) return this.#parsed<T>(text, origin);
    if (status === NOT_FOUND && mayBeMissing) return undefined;
    const said = `${engine} at ${origin}: ${method} ${path}: ${status} ${shorten(messageIn(text), 300)}`;
    if (status >= SERVER_ERROR || status === TOO_MANY || status === TIMED_OUT) throw new EngineBusy(said);
    throw new EngineRefusal(said, status, NO_KEY.includes(status) ? keyHint : undefined);
  }

  #parsed<T>(text: string, origin: string): T {
    try {
      return JSON.parse(text) as T;
    } catch (cause) {
      const { engine } = this.#options;
      throw new NearmissError(`${origin}: expected ${engine}, got ${JSON.stringify(shorten(text, 60))}`, {
        hint: `is that the address and the port of ${engine}?`,
        cause,
      });
    }
  }
}

/** Whether asking again may help: it was not reached, was too slow, or said so. */
function mayPass(error: unknown): boolean {
  if (error instanceof EngineBusy) return true;
  if (!(error instanceof Error)) return false;
  return error.name === 'TimeoutError' || (error instanceof TypeError && error.cause !== undefined);
}

/** The message in an engine's error, where it is in a place that engines use. */
function messageIn(text: string): string {
  try {
    const { status, error } = JSON.parse(text);
    return status?.error ?? error?.reason ?? error ?? text;
  } catch {
    return text;
  }
}
