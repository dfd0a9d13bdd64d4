import type { DocumentAnswer, FileRead, FilesWritten, Written } from '../../src/serve/answers/documents.js';
import type { ErrorAnswer } from '../../src/serve/answers/errors.js';
import type { FacetsAnswer } from '../../src/serve/answers/facets.js';
import type {
  Hit,
  Neighbours,
  Place,
  ScorePart,
  SearchAnswer,
  Snippet,
} from '../../src/serve/answers/hits.js';
import type { Examples, ServerInfo } from '../../src/serve/answers/info.js';
import type { Judged, Judgment, JudgmentsAnswer } from '../../src/serve/answers/judgments.js';
import { apiKey, keyWanted } from './api-key.js';
import { BASE } from './base.js';
import { createStore } from './store.js';

export type {
  DocumentAnswer,
  FacetsAnswer,
  Hit,
  Judgment,
  Place,
  ScorePart,
  SearchAnswer,
  ServerInfo,
  Snippet,
  Written,
};

/** The name of a way to search; a server may know more than this page. */
export type SearchMode = string;

/** Of the index that the newest answer is from: a server swaps it without being asked. */
export const newestVersion = createStore<string | undefined>(undefined);

export interface SearchRequest {
  query: string;
  mode?: SearchMode;
  k?: number;
  filter?: unknown;
  groupBy?: string;
  explain?: boolean;
}

/** A document to put in. */
export type NewDocument = FileRead['documents'][number];

/** A file to put in, by its path in its folder. */
export interface NewFile {
  path: string;
  text: string;
}

/** What the server (or the way to it) refused, with what to do about it. */
export class ApiError extends Error {
  /** 0 where no server answered. */
  readonly status: number;
  readonly code: string;
  readonly hint: string | undefined;
  readonly requestId: string | undefined;
  /** Seconds that the server asked to wait. */
  readonly retryAfter: number | undefined;

  constructor(
    message: string,
    details: { status: number; code: string; hint?: string; requestId?: string; retryAfter?: number },
  ) {
    super(message);
    this.name = 'ApiError';
    this.status = details.status;
    this.code = details.code;
    this.hint = details.hint;
    this.requestId = details.requestId;
    this.retryAfter = details.retryAfter;
  }
}

export interface CallOptions {
  signal?: AbortSignal;
  /** Goes into the address; `undefined` is left out. */
  query?: Record<string, string | number | boolean | undefined>;
}

/** Calls of the server that this page came from. Every failure is an {@link ApiError}, except an abort. */
export const api = {
  get: <T>(path: string, options: CallOptions = {}): Promise<T> => call<T>('GET', path, undefined, options),
  post: <T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> =>
    call<T>('POST', path, body, options),
  put: <T>(path: string, body: unknown, options: CallOptions = {}): Promise<T> =>
    call<T>('PUT', path, body, options),
  delete: <T>(path: string, options: CallOptions = {}): Promise<T> =>
    call<T>('DELETE', path, undefined, options),
  /** An answer that is no JSON, as it came. */
  text: async (path: string, options: CallOptions = {}): Promise<string> =>
    (await send('GET', path, undefined, options)).text(),

  info: (options?: CallOptions) => api.get<ServerInfo>('/v1/info', options),
  examples: (options?: CallOptions) => api.get<Examples>('/v1/examples', options),
  facets: (filter: string, options: CallOptions = {}) =>
    api.get<FacetsAnswer>('/v1/facets', { ...options, query: { filter: filter || undefined } }),
  /** Texts as people have them; the server cuts them into passages. */
  addFiles: (files: readonly NewFile[], options?: CallOptions) =>
    noting(api.post<FilesWritten>('/v1/files', { files }, options)),
  /** The documents in a file of any kind; nothing is stored. */
  readFile: (path: string, file: Blob, options: CallOptions = {}) =>
    api.post<FileRead>('/v1/files/read', file, { ...options, query: { path } }),
  addDocuments: (documents: readonly NewDocument[], options?: CallOptions) =>
    noting(api.post<Written>('/v1/documents', { documents }, options)),
  judgments: (query: string, options: CallOptions = {}) =>
    api.get<JudgmentsAnswer>('/v1/judgments', { ...options, query: { query } }),
  judge: (judgment: Pick<Judgment, 'query' | 'document' | 'grade'>) =>
    api.post<Judged>('/v1/judgments', { judgments: [judgment] }),
  search: (request: SearchRequest, options?: CallOptions) =>
    noting(api.post<SearchAnswer>('/v1/search', request, options)),
  document: (id: string, options?: CallOptions) =>
    noting(api.get<DocumentAnswer>(`/v1/documents/${encodeURIComponent(id)}`, options)),
  neighbours: (id: string, k: number, options: CallOptions = {}) =>
    api.get<Neighbours>(`/v1/documents/${encodeURIComponent(id)}/neighbours`, {
      ...options,
      query: { k },
    }),
};

/** Keeps the version of the index that an answer is from. */
async function noting<T extends { version: string }>(answer: Promise<T>): Promise<T> {
  newestVersion.set((await answer).version);
  return answer;
}

/** Whether a promise was rejected because its request was cancelled. */
export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError';
}

async function call<T>(method: string, path: string, body: unknown, options: CallOptions): Promise<T> {
  return readJson<T>(await send(method, path, body, options));
}

async function send(method: string, path: string, body: unknown, options: CallOptions): Promise<Response> {
  const key = apiKey.get();
  const headers: Record<string, string> = { accept: 'application/json' };
  const isFile = body instanceof Blob;
  if (body !== undefined) headers['content-type'] = isFile ? 'application/octet-stream' : 'application/json';
  if (key) headers.authorization = `Bearer ${key}`;
  let response: Response;
  try {
    response = await fetch(addressOf(path, options.query), {
      method,
      headers,
      body: body === undefined || isFile ? body : JSON.stringify(body),
      signal: options.signal,
    });
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError('The server does not answer.', {
      status: 0,
      code: 'no_server',
      hint: 'Is `nearmiss serve` still running? Start it again, then retry.',
    });
  }
  if (response.ok) return response;
  // A key that was replaced while this request was under way says nothing about the new one.
  if (response.status === 401 && key === apiKey.get()) keyWanted.set(true);
  throw await errorOf(response);
}

/** The address of a route of the collection at hand. */
export function addressOf(path: string, query: CallOptions['query'] = {}): string {
  const filled = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(filled.map(([name, value]) => [name, String(value)])).toString();
  return `${BASE}${path}${search && '?'}${search}`;
}

async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (error) {
    if (isAbort(error)) throw error;
    throw new ApiError('The answer is not JSON.', {
      status: response.status,
      code: 'bad_answer',
      hint: 'Is there a proxy between this page and nearmiss?',
      requestId: response.headers.get('x-request-id') ?? undefined,
    });
  }
}

async function errorOf(response: Response): Promise<ApiError> {
  const { status } = response;
  const body = (await response.json().catch(() => undefined)) as Partial<ErrorAnswer> | undefined;
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(body?.error?.message ?? `The server answered with status ${status}.`, {
    status,
    code: body?.error?.code ?? `http_${status}`,
    hint: body?.error?.hint,
    requestId: body?.error?.requestId ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}
