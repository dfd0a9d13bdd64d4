import { NearmissError } from '../base/errors.js';
import { FleetClient, type FleetPlace, folderHash } from '../fleet/index.js';
import type { EncodingSession } from '../model/precision/precision.js';
import type { TextPair } from '../text/tokenizer.js';

/** Pairs that a worker takes at once. */
const SHARD = 64;
const HASH_DIGITS = 16;

/** What is known of a model that scores pairs without asking it. */
interface Known {
  readonly fingerprint: string;
  readonly givesLogits: boolean;
}

/** A model that scores pairs on the workers of a queue. */
export class FleetPairs implements Known {
  readonly fingerprint: string;
  readonly givesLogits: boolean;
  readonly #client: FleetClient;

  private constructor({ fingerprint, givesLogits }: Known, client: FleetClient) {
    this.fingerprint = fingerprint;
    this.givesLogits = givesLogits;
    this.#client = client;
  }

  /** @param folder of the model, all of which goes to the store */
  static async open(
    folder: string,
    known: Known,
    { queue, store, session }: FleetPlace & { session?: EncodingSession },
  ): Promise<FleetPairs> {
    const precision = session?.precision ?? 'fp32';
    if (precision === 'auto') {
      throw new NearmissError(
        'precision: expected fp32 or int8 with a queue, got auto, which depends on the machine',
      );
    }
    const name = (await folderHash(folder)).slice(0, HASH_DIGITS);
    const client = await FleetClient.open({
      queue,
      store,
      settings: {
        task: 'score',
        model: name,
        expects: { fingerprint: known.fingerprint },
        settings: { precision },
      },
      fillModel: (to) => to.addModel(name, folder),
    });
    return new FleetPairs(known, client);
  }

  async scorePairs(
    pairs: readonly TextPair[],
    { onBatch }: { onBatch?: (done: { texts: number; tokens: number }) => void } = {},
  ): Promise<Float32Array> {
    const scores = new Float32Array(pairs.length);
    const asked = [];
    for (let start = 0; start < pairs.length; start += SHARD) {
      const part = pairs.slice(start, start + SHARD);
      const input = Buffer.from(JSON.stringify(part));
      asked.push({ start, input, job: await this.#client.ask(part.length, input) });
    }
    for (const { start, input, job } of asked) {
      const result = Uint8Array.from(await this.#client.result(job, input));
      scores.set(new Float32Array(result.buffer), start);
      // Workers do not tell how many tokens they read.
      onBatch?.({ texts: job.items, tokens: 0 });
    }
    await this.#client.forget();
    return scores;
  }

  async release(): Promise<void> {
    await this.#client.close();
  }
}
