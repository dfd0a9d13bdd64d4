import type { MessagePort, TransferListItem, Worker } from 'node:worker_threads';
import { NearmissError } from './errors.js';

/** What travels to a worker thread: requests are numbered from 1. */
interface Call {
  id: number;
  request: unknown;
}

/** What comes back; number 0 answers the start. */
type Answer = { id: number } & ({ reply: unknown } | { error: { message: string; hint?: string } });

interface Waiting {
  resolve: (reply: unknown) => void;
  reject: (error: Error) => void;
}

/** Asks a worker thread that answers with {@link answerCalls}; when it dies, whoever waits is told. */
export class WorkerCalls<Request, Reply, Started = void> {
  /** What the worker says once it is ready. */
  readonly started: Promise<Started>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #calls = 0;
  #dead: Error | undefined;

  /** @param name what the worker is called when it ends unexpectedly, e.g. `search worker` */
  constructor(worker: Worker, name: string) {
    this.#worker = worker;
    this.started = this.#answerTo<Started>(0);
    worker.on('message', (answer: Answer) => this.#settle(answer));
    worker.on('error', (error) => this.#die(error));
    worker.on('exit', () => this.#die(new NearmissError(`the ${name} has ended`)));
  }

  async ask(request: Request, transfer: readonly TransferListItem[] = []): Promise<Reply> {
    if (this.#dead) throw this.#dead;
    const call: Call = { id: ++this.#calls, request };
    this.#worker.postMessage(call, transfer);
    return this.#answerTo<Reply>(call.id);
  }

  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #answerTo<T>(id: number): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting['resolve'], reject });
    });
  }

  #settle(answer: Answer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if ('error' in answer)
      waiting?.reject(new NearmissError(answer.error.message, { hint: answer.error.hint }));
    else waiting?.resolve(answer.reply);
  }

  #die(error: Error): void {
    this.#dead ??= error;
    for (const { reject } of this.#waiting.values()) reject(this.#dead);
    this.#waiting.clear();
  }
}

/** A reply and what of it is handed over without a copy. */
export interface Handover<Reply> {
  reply: Reply;
  transfer?: readonly TransferListItem[];
}

/**
 * The worker's side of {@link WorkerCalls}: starts, says so, and answers. Errors travel with their hints.
 *
 * @param start opens what the worker serves and gives what to say of it, and how to answer
 */
export async function answerCalls<Request, Reply, Started>(
  port: MessagePort,
  start: () => Promise<{ started: Started; answer: (request: Request) => Promise<Handover<Reply>> }>,
): Promise<void> {
  const settle = async (id: number, work: () => Promise<Handover<unknown>>): Promise<void> => {
    try {
      const { reply, transfer = [] } = await work();
      port.postMessage({ id, reply } satisfies Answer, transfer);
    } catch (error) {
      const { message } = error instanceof Error ? error : new Error(String(error));
      const hint = error instanceof NearmissError ? error.hint : undefined;
      port.postMessage({ id, error: { message, hint } } satisfies Answer);
    }
  };
  await settle(0, async () => {
    const { started, answer } = await start();
    port.on('message', ({ id, request }: Call) => settle(id, () => answer(request as Request)));
    return { reply: started };
  });
}
