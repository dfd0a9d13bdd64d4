import { stat } from 'node:fs/promises';
import { NearmissError } from '../base/errors.js';
import { FleetClient, type FleetPlace, folderHash } from '../fleet/index.js';
import type { Passage, QueryGenerator, Spent } from './query-generator.js';

/** Shards that are asked for at once. */
const SHARDS = 32;
const HASH_DIGITS = 16;

/** Writes queries on the workers of a queue. What is drawn for a passage depends on the passage alone, whoever draws. */
export class FleetGenerator implements QueryGenerator {
  readonly name: string;
  readonly fingerprint: string;
  readonly atOnce: number;
  readonly spent: Spent = { tokens: 0, read: 0, retries: 0 };
  readonly #client: FleetClient;
  readonly #shard: number;

  private constructor({ name, fingerprint, atOnce }: QueryGenerator, client: FleetClient) {
    this.name = name;
    this.fingerprint = fingerprint;
    this.#shard = atOnce;
    this.atOnce = atOnce * SHARDS;
    this.#client = client;
  }

  /** @param folder of the model, all of which goes to the store */
  static async open(
    folder: string,
    known: QueryGenerator,
    { queue, store, settings }: FleetPlace & { settings: Record<string, unknown> },
  ): Promise<FleetGenerator> {
    if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
      throw new NearmissError(`${folder}: expected a folder of a model to hand to workers`, {
        hint: 'download it first, and name its folder',
      });
    }
    const name = (await folderHash(folder)).slice(0, HASH_DIGITS);
    const client = await FleetClient.open({
      queue,
      store,
      settings: { task: 'generate', model: name, expects: { fingerprint: known.fingerprint }, settings },
      fillModel: (to) => to.addModel(name, folder),
    });
    return new FleetGenerator(known, client);
  }

  async generate(passages: readonly Passage[]): Promise<string[][]> {
    const asked = [];
    for (let start = 0; start < passages.length; start += this.#shard) {
      const part = passages.slice(start, start + this.#shard).map(({ key, text }) => ({ key, text }));
      const input = Buffer.from(JSON.stringify(part));
      asked.push({ input, job: await this.#client.ask(part.length, input) });
    }
    const written: string[][] = [];
    for (const { input, job } of asked) {
      const result = Buffer.from(await this.#client.result(job, input)).toString();
      const { queries, tokens } = JSON.parse(result) as { queries: string[][]; tokens: number };
      written.push(...queries);
      this.spent.tokens += tokens;
    }
    await this.#client.forget();
    return written;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }
}
