import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../base/errors.js';
import { exists, writeFileAtomic } from '../base/files.js';
import { parseJson } from '../base/json-file.js';
import type { EncodedTexts } from '../model/encoder/encoded-texts.js';
import { type EncoderModel, saveEncoderModel } from '../model/encoder/encoder-model.js';
import { ShardFolder } from '../model/encoder/shard-folder.js';
import { type EncodeJob, shardId } from './encode-job.js';

const textsSchema = z.array(z.string());
const ASK_AGAIN = 'remove the file and give the command again: whoever asks writes it anew';

/**
 * A folder that whoever asks and all workers see: models, texts to encode and the rows they became. Everything in it appears
 * complete or not at all and is named by its content, so that it does not matter who wrote it, nor how often.
 */
export class FleetStore {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  modelFolder(name: string): string {
    return join(this.path, 'models', name);
  }

  /** Puts a model there, unless it is. */
  async addModel(name: string, model: EncoderModel): Promise<void> {
    const folder = this.modelFolder(name);
    if (await exists(folder)) return;
    try {
      await saveEncoderModel(folder, model);
    } catch (error) {
      // Somebody else was faster.
      if (!(await exists(folder))) throw error;
    }
  }

  async addTexts({ id }: EncodeJob, texts: readonly string[]): Promise<void> {
    await writeFileAtomic(this.#textFile(id), JSON.stringify(texts));
  }

  async texts(job: EncodeJob): Promise<string[]> {
    const path = this.#textFile(job.id);
    const content = await readFile(path, 'utf8').catch((error: Error) => {
      throw new NearmissError(`${path}: the texts of a shard cannot be read: ${error.message}`, {
        hint: 'the worker and whoever asks it must name the same folder with --store',
      });
    });
    const texts = parseJson(content, { where: path, schema: textsSchema, hint: ASK_AGAIN });
    // Rows of other texts under this name would be taken for those of these for ever.
    if (texts.length === job.texts && shardId(job, texts) === job.id) return texts;
    throw new NearmissError(`${path}: damaged: not the ${job.texts} texts that were written`, {
      hint: ASK_AGAIN,
    });
  }

  rows({ id, texts, dimension }: EncodeJob): Promise<EncodedTexts | undefined> {
    return this.#rows(id, dimension).find(0, texts);
  }

  async addRows({ id, dimension }: EncodeJob, rows: EncodedTexts): Promise<void> {
    await this.#rows(id, dimension).add(0, rows);
  }

  /** Removes the texts and rows of a shard that nobody needs any more. */
  async remove({ id, dimension }: EncodeJob): Promise<void> {
    await rm(this.#textFile(id), { force: true });
    await this.#rows(id, dimension).remove();
  }

  #textFile(id: string): string {
    return join(this.path, 'texts', `${id}.json`);
  }

  #rows(id: string, dimension: number): ShardFolder {
    return new ShardFolder(join(this.path, 'rows', id), { dimension });
  }
}
