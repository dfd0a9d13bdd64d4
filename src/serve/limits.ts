/** What one client may ask for, and how much the server takes on at once. */
export interface ServeLimits {
  /** Bytes of a request's body. */
  bodyBytes: number;
  /** Bytes of a file that is sent to be read. */
  fileBytes: number;
  /** Hits for one query. */
  k: number;
  /** Queries, texts to embed, documents to rerank or to write in one request. */
  batch: number;
  /** Hits of all queries of one request together: the answer is made in one piece. */
  hits: number;
  /** Characters of a query. */
  queryLength: number;
  /** Characters of a text to embed, to rerank or to store. */
  textLength: number;
  /** Requests worked on at the same time; they share the workers' batches. */
  concurrent: number;
  /** Of those with many queries, texts or documents: they take turns with the others in the workers' batches. */
  concurrentBatches: number;
  /** Requests that may wait for their turn; the next one is told to come back later. */
  waiting: number;
  /** Milliseconds that a request may wait for its turn. */
  waitMs: number;
  /** Milliseconds that a request's work may take. */
  workMs: number;
  /** Milliseconds for a client to send its whole request; a quarter of it for the headers. */
  receiveMs: number;
  /** Milliseconds without a byte in either direction after which a connection is closed, unless its request is worked on. */
  idleMs: number;
  connections: number;
  /** Milliseconds that requests have to finish when the server stops. */
  graceMs: number;
}

export const DEFAULT_LIMITS: ServeLimits = {
  bodyBytes: 8 * 1024 * 1024,
  fileBytes: 64 * 1024 * 1024,
  k: 1000,
  batch: 1000,
  hits: 10_000,
  queryLength: 4000,
  textLength: 1_000_000,
  concurrent: 128,
  concurrentBatches: 16,
  waiting: 512,
  waitMs: 10_000,
  workMs: 30_000,
  receiveMs: 20_000,
  idleMs: 75_000,
  connections: 2048,
  graceMs: 10_000,
};
