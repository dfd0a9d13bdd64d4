import { type Agent, request } from 'node:http';

/** JSON to send. */
export interface Post {
  body: string;
  /** The client does not wait for the answer but closes its connection after so long. */
  leaveAfterMs?: number;
}

/** Sends it; gives the status, or 0 where the connection was closed before an answer. */
export function post(url: string, { body, leaveAfterMs }: Post, agent: Agent | false): Promise<number> {
  return new Promise((resolve) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    sent.on('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
      response.once('error', () => resolve(0));
    });
    sent.once('error', () => resolve(0));
    sent.end(body);
    if (leaveAfterMs !== undefined) setTimeout(() => sent.destroy(), leaveAfterMs);
  });
}
