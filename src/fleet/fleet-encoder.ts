import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EncodedTexts } from '../model/encoder/encoded-texts.js';
import { embeddingSize } from '../model/encoder/encoder-graph.js';
import type { EncoderModel } from '../model/encoder/encoder-model.js';
import { saveEncoderModel } from '../model/encoder/save-encoder.js';
import type { TokenizedTexts } from '../model/encoder/tokenized-texts.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import type { UsedPrecision } from '../model/precision/precision.js';
import { FleetClient, type FleetPlace } from './fleet-client.js';
import type { FleetJob } from './fleet-job.js';
import type { FleetStore } from './fleet-store.js';
import { rowsFromBytes } from './rows-bytes.js';

export interface FleetEncoderOptions extends FleetPlace {
  model: EncoderModel;
  use: 'query' | 'document';
  precision: UsedPrecision;
  /** Whose shards these are, and of which step: those of an earlier one are given up. */
  group?: string;
  order?: number;
  log?: (line: string) => void;
  signal?: AbortSignal;
}

/** What a shard is encoded of: texts, or what a tokenizer has made of them already. */
export type ShardInput = readonly string[] | TokenizedTexts;

/** A shard that was asked for. */
export interface AskedShard {
  job: FleetJob;
  input: Uint8Array;
}

const HASH_DIGITS = 16;

/** Encodes shards on whatever workers listen to a queue. */
export class FleetEncoder {
  readonly dimension: number;
  readonly precision: UsedPrecision;
  readonly #client: FleetClient;

  private constructor(client: FleetClient, dimension: number, precision: UsedPrecision) {
    this.#client = client;
    this.dimension = dimension;
    this.precision = precision;
  }

  static async open({
    model,
    use,
    precision,
    group,
    order,
    ...place
  }: FleetEncoderOptions): Promise<FleetEncoder> {
    const weights = weightsFingerprint(model.parameters);
    const tokenizer = model.tokenizer.fingerprint;
    const { maxLength, prompts, lowercase, spec, side = '' } = model;
    const dimension = embeddingSize(spec);
    const settled = JSON.stringify({ weights, tokenizer, maxLength, prompts, lowercase, spec, side });
    const name = createHash('sha256').update(settled).digest('hex').slice(0, HASH_DIGITS);
    const client = await FleetClient.open({
      ...place,
      settings: {
        task: 'encode',
        model: name,
        expects: { weights, tokenizer, dimension },
        settings: { use, precision, ...(side && { side }) },
        ...(group !== undefined && { group, order }),
      },
      fillModel: (store) => addEncoder(store, name, model),
    });
    return new FleetEncoder(client, dimension, precision);
  }

  /** Asks for a shard; {@link FleetEncoder.rows} waits for it. */
  async ask(shard: ShardInput): Promise<AskedShard> {
    const input = Buffer.from(JSON.stringify('texts' in shard ? plain(shard) : { strings: shard }));
    const items = 'texts' in shard ? shard.offsets.length - 1 : shard.length;
    return { input, job: await this.#client.ask(items, input) };
  }

  /** The rows of a shard that was asked for. */
  async rows({ job, input }: AskedShard): Promise<EncodedTexts> {
    return rowsFromBytes(await this.#client.result(job, input), job.items, this.dimension);
  }

  /** Removes from the store what was given back, once whoever asked has it safe. */
  forget(): Promise<void> {
    return this.#client.forget();
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Typed arrays as lists. */
function plain({ texts, offsets }: TokenizedTexts): unknown {
  return {
    texts: texts.map(({ ids, types, attended }) => ({
      ids: Array.from(ids),
      ...(types && { types: Array.from(types) }),
      ...(attended !== undefined && { attended }),
    })),
    offsets: Array.from(offsets),
  };
}

async function addEncoder(store: FleetStore, name: string, model: EncoderModel): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-model-'));
  try {
    await saveEncoderModel(join(folder, 'model'), model);
    await store.addModel(name, join(folder, 'model'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
