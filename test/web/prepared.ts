import { setTimeout as delay } from 'node:timers/promises';

/** Waits until a server has made its vectors: words answer before that. For hooks, where `expect.poll` may not be called. */
export async function untilPrepared(url: string): Promise<void> {
  while (((await (await fetch(`${url}/v1/status`)).json()) as { coming: boolean }).coming) await delay(50);
}
