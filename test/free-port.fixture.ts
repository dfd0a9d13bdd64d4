import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below those that systems give to whoever connects, so that nobody is given it before a server takes it. */
const [FIRST, END] = [10_000, 32_000];

/** A port of this machine for a server that has to be told one. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer();
    try {
      await once(server.listen(port, '127.0.0.1'), 'listening');
    } catch {
      continue;
    }
    await new Promise((closed) => server.close(closed));
    return port;
  }
}
