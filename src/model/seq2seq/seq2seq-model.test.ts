import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { oracleFolder } from '../../../test/oracles.fixture.js';
import { Tokenizer } from '../../text/index.js';
import { tokenizerJsons } from '../../text/tokenizer.fixture.js';
import { SafetensorsFile } from '../tensors/safetensors.js';
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
