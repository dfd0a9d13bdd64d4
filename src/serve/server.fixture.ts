import type { Document } from '../data/index.js';
import { MemorySearcher } from './memory-searcher.fixture.js';
import { SearchServer, type ServerOptions } from './server.js';

export const ANIMALS: Document[] = [
  { id: 'dog', title: 'Dogs', text: 'a black dog barks', metadata: { legs: 4 } },
  { id: 'cat', text: 'a black cat sleeps' },
  { id: 'a/b c%', text: 'strange names exist' },
];

/** A log that keeps its lines. */
export function keptLog(): { lines: Record<string, unknown>[]; write(line: string): void } {
  const lines: Record<string, unknown>[] = [];
  return { lines, write: (line) => void lines.push(JSON.parse(line)) };
}

/** A server on a free port of this machine; over animals in memory unless something else is said. */
export async function startServer(options: Partial<ServerOptions> = {}): Promise<SearchServer> {
  const open = async (): Promise<MemorySearcher> => new MemorySearcher('v1', ANIMALS);
  const server = await SearchServer.create({ open, log: keptLog(), ...options });
  await server.listen(0);
  await server.start();
  return server;
}

/** Sends JSON and reads it. */
export async function send(
  server: SearchServer,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: answers have as many shapes as there are routes
): Promise<{ status: number; headers: Headers; body: any }> {
  const isFile = body instanceof Uint8Array;
  const type = isFile ? 'application/octet-stream' : 'application/json';
  const response = await fetch(`${server.url}${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': type }), ...headers },
    body: isFile ? (body as BodyInit) : JSON.stringify(body),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('application/json');
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

/** What a server works on, and what waits there. */
export async function requestsInHand(server: SearchServer): Promise<{ active: number; waiting: number }> {
  const { body } = await send(server, 'GET', '/metrics');
  const gauge = (name: string): number => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(body)?.[1]);
  return { active: gauge('nearmiss_requests_active'), waiting: gauge('nearmiss_requests_waiting') };
}
