import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oracleFolder } from '../../../test/oracles.fixture.js';
import { Tokenizer } from '../../text/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { createEncoderModel } from '../encoder/encoder-model.js';
import { SafetensorsFile, writeSafetensors } from '../tensors/safetensors.js';
import { createBert2Rnd } from './create-bert2rnd.js';
import { isSeq2Seq, loadSeq2Seq, saveSeq2Seq } from './seq2seq-model.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-seq2seq-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** An oracle's T5 with a tokenizer, which it lacks. */
async function t5Folder(name: string, vocabulary = 50): Promise<string> {
  const path = join(folder, name);
  await cp(join(oracleFolder('tricks'), name), path, { recursive: true });
  const config = JSON.parse(await readFile(join(path, 'config.json'), 'utf8'));
  await writeFile(join(path, 'config.json'), JSON.stringify({ ...config, vocab_size: vocabulary }));
  await writeFile(join(path, 'tokenizer.json'), (await tokenizerJsons()).unigram);
  return path;
}

describe.each(['t5-relu', 't5-gated'])('%s', (name) => {
  test('a folder that is written has every tensor and every setting of the one that was read', async () => {
    const from = await t5Folder(name);
    const saved = join(folder, 'saved');
    await saveSeq2Seq(saved, await loadSeq2Seq(from));
    const [one, two] = await Promise.all(
      [from, saved].map((path) => SafetensorsFile.open(join(path, 'model.safetensors'))),
    );
    expect([...two.tensors.keys()].sort()).toEqual([...one.tensors.keys()].sort());
    for (const tensor of one.tensors.keys()) {
      expect(Buffer.compare(await one.readBytes(tensor), await two.readBytes(tensor)), tensor).toBe(0);
      expect(two.shape(tensor)).toEqual(one.shape(tensor));
    }
    await Promise.all([one.close(), two.close()]);
    const read = async (path: string): Promise<object> =>
      JSON.parse(await readFile(join(path, 'config.json'), 'utf8'));
    expect(await read(saved)).toMatchObject(await read(from));
    expect(await isSeq2Seq(saved)).toBe(true);
    expect(await readFile(join(saved, 'README.md'), 'utf8')).toContain('library_name: transformers');
  });

  test('a config or tokenizer that does not fit is told', async () => {
    const wrong = await t5Folder(name, 51);
    await expect(loadSeq2Seq(wrong)).rejects.toThrow(
      /tensor "shared.weight": expected shape \[51, 16\], got \[50, 16\]/,
    );
    const path = await t5Folder(name);
    const config = join(path, 'config.json');
    const raw = JSON.parse(await readFile(config, 'utf8'));
    await writeFile(config, JSON.stringify({ ...raw, feed_forward_proj: 'gated-silu' }));
    await expect(loadSeq2Seq(path)).rejects.toThrow(
      'field "feed_forward_proj": expected one of relu, gated-gelu',
    );
    await writeFile(config, JSON.stringify(raw));
    const large = await Tokenizer.fromJson((await tokenizerJsons()).roberta);
    await large.save(path);
    if (large.vocabularySize > 50) {
      await expect(loadSeq2Seq(path)).rejects.toThrow('tokens but the model embeds only 50');
    }
  });
});

test('a table of words that a folder holds twice has to be the same both times', async () => {
  const path = await t5Folder('t5-relu');
  const weights = join(path, 'model.safetensors');
  const file = await SafetensorsFile.open(weights);
  const tensors = await Promise.all(
    [...file.tensors.keys()].map(async (name) => ({
      name,
      shape: file.shape(name),
      data: await file.read(name),
    })),
  );
  await file.close();
  const shared = tensors.find(({ name }) => name === 'shared.weight')!;
  const output = { ...shared, name: 'lm_head.weight' };
  await writeSafetensors(weights, [...tensors, output]);
  await loadSeq2Seq(path);
  await writeSafetensors(weights, [...tensors, { ...output, data: shared.data.map((value) => 2 * value) }]);
  await expect(loadSeq2Seq(path)).rejects.toThrow('expected "lm_head.weight" to equal "shared.weight"');
  // With an output of its own it is another model, whose numbers may be others.
  const config = join(path, 'config.json');
  const raw = JSON.parse(await readFile(config, 'utf8'));
  await writeFile(config, JSON.stringify({ ...raw, tie_word_embeddings: false }));
  expect((await loadSeq2Seq(path)).parameters.get('lm_head.weight')[0]).toBe(2 * shared.data[0]);
});

test('positions that begin later leave room for fewer tokens, not for more than the table has', async () => {
  const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
  const encoder = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 1, heads: 2, maxLength: 20 });
  const config = { ...encoder.spec.config, positionOffset: 2 };
  const { spec } = createBert2Rnd(
    { ...encoder, spec: { ...encoder.spec, config } },
    { decoderLayers: 1, maxSource: 18, maxTarget: 8 },
  );
  const table = spec.parameters().find(({ name }) => /^decoder.*position_embeddings/.test(name));
  expect([spec.shape.maxTarget, table?.shape[0]]).toEqual([8, 10]);
});
