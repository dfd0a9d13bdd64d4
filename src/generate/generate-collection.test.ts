import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Dataset } from '../data/index.js';
import { createEncoderModel } from '../model/index.js';
import { createBert2Rnd } from '../model/seq2seq/create-bert2rnd.js';
import { loadSeq2Seq, saveSeq2Seq } from '../model/seq2seq/seq2seq-model.js';
import { Tokenizer } from '../text/index.js';
import { tokenizerJsons } from '../text/tokenizer.fixture.js';
import {
  expandDataset,
  filterQueries,
  generateCollection,
  generatedCollection,
  type Passage,
  passageText,
  passageTexts,
  type QueryGenerator,
  queriesByDocument,
  readGenerated,
  Seq2SeqGenerator,
} from './index.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-generate-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const TEXTS = ['near miss', 'a b', '', 'near a miss', 'b near', 'miss a b'];

const dataset: Dataset = {
  name: 'small',
  async *documents() {
    for (const [i, text] of TEXTS.entries()) yield { id: `d${i}`, text };
  },
  async *queries(split) {
    if (split !== 'train') yield { id: 'q1', text: 'asked' };
  },
  splits: async () => ['dev', 'train'],
  qrels: async (split) => (split === 'dev' ? new Map([['q1', new Map([['d1', 1]])]]) : new Map()),
};

async function all(path: string) {
  const records = [];
  for await (const record of readGenerated(path)) records.push(record);
  return records;
}

/** Writes the first word of a passage, and remembers what it was asked. */
function firstWords(fails?: (passage: Passage) => boolean): QueryGenerator & { asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'first words',
    fingerprint: 'first',
    atOnce: 2,
    spent: { tokens: 0, read: 0, retries: 0 },
    asked,
    async generate(passages) {
      return passages.map((passage) => {
        if (fails?.(passage)) throw new Error('killed');
        asked.push(passage.text);
        return [`${passage.text.split(' ')[0]}?`, 'what'];
      });
    },
    async close() {},
  };
}

describe('queries for a collection', () => {
  test('stopped anywhere, it goes on behind the last finished passage', async () => {
    const whole = join(folder, 'whole.jsonl');
    await generateCollection(dataset, firstWords(), { out: whole });
    for (let at = 0; at < TEXTS.length; at++) {
      const out = join(folder, `${at}.jsonl`);
      const killed = firstWords(({ key }) => key === at);
      if (TEXTS[at] !== '') {
        await expect(generateCollection(dataset, killed, { out })).rejects.toThrow('killed');
        // The last line may be cut in its middle.
        await writeFile(`${out}.unfinished`, '{"id": "d9', { flag: 'a' });
      }
      const again = firstWords();
      const { known, finished } = await generateCollection(dataset, again, { out });
      expect(finished).toBe(true);
      expect(await readFile(out, 'utf8')).toBe(await readFile(whole, 'utf8'));
      expect(again.asked.length).toBe(TEXTS.slice(known).filter((text) => text !== '').length);
    }
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test('what was begun with other settings is not gone on with', async () => {
    const out = join(folder, 'queries.jsonl');
    const killed = firstWords(({ key }) => key === 3);
    await expect(generateCollection(dataset, killed, { out })).rejects.toThrow('killed');
    await expect(generateCollection(dataset, firstWords(), { out, limit: 4 })).rejects.toThrow(
      'was begun with other settings or other documents',
    );
    await generateCollection(dataset, firstWords(), { out });
    await expect(generateCollection(dataset, firstWords(), { out })).rejects.toThrow('is there already');
  });

  test('where nothing was written yet, other settings are no reason to refuse', async () => {
    const out = join(folder, 'queries.jsonl');
    const killed = firstWords(({ key }) => key === 0);
    await expect(generateCollection(dataset, killed, { out, limit: 3 })).rejects.toThrow('killed');
    await generateCollection(dataset, firstWords(), { out });
    expect((await all(out)).length).toBe(TEXTS.length);
  });

  test('two at once do not write the same file', async () => {
    const out = join(folder, 'queries.jsonl');
    let second: Promise<unknown> | undefined;
    await generateCollection(dataset, firstWords(), {
      out,
      async onPassages() {
        second ??= generateCollection(dataset, firstWords(), { out }).catch((error) => error);
        await second;
      },
    });
    expect(((await second) as Error).message).toMatch(/process \d+ writes it already/);
    expect((await all(out)).length).toBe(TEXTS.length);
    expect((await readdir(folder)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });

  test('a stop leaves what was written, and documents without text get no queries', async () => {
    const out = join(folder, 'queries.jsonl');
    const stop = new AbortController();
    const outcome = await generateCollection(dataset, firstWords(), {
      out,
      signal: stop.signal,
      onPassages: () => stop.abort(),
    });
    expect(outcome).toMatchObject({ finished: false, passages: 2 });
    await generateCollection(dataset, firstWords(), { out });
    expect((await all(out)).map(({ queries }) => queries.length)).toEqual([2, 2, 0, 2, 2, 2]);
  });

  test('long documents are read in passages', async () => {
    const out = join(folder, 'queries.jsonl');
    const text = Array.from({ length: 50 }, (_, i) => `word${i}`).join(' ');
    const long = {
      ...dataset,
      documents: async function* () {
        yield { id: 'long', title: 'Title', text };
      },
    };
    const generator = firstWords();
    await generateCollection(long, generator, { out, splitWords: 20 });
    expect(generator.asked.length).toBeGreaterThan(2);
    expect(generator.asked.every((passage) => passage.startsWith('Title word'))).toBe(true);
    expect((await all(out)).map(({ passage }) => passage)).toEqual(generator.asked.map((_, i) => i));
    expect((await queriesByDocument(out, 1)).get('long')).toEqual(generator.asked.map(() => 'Title?'));
  });

  test('a passage is found again as it was read; one that there is not is told', async () => {
    const text = Array.from({ length: 50 }, (_, i) => `word${i}`).join(' ');
    const document = { id: 'long', title: 'Title', text };
    const texts = passageTexts(document, 20);
    expect(passageText(document, { passage: 1, splitWords: 20 })).toBe(texts[1]);
    expect(() => passageText(document, { passage: 1, splitWords: 100 })).toThrow(
      'document "long": expected passage 2, for which there are queries, got 1 passages of 100 words',
    );
  });

  test('a damaged file names its line', async () => {
    const out = join(folder, 'queries.jsonl');
    await generateCollection(dataset, firstWords(), { out });
    const { length } = await readFile(out);
    await truncate(out, length - 5);
    await expect(all(out)).rejects.toThrow(`${out}:6`);
  });
});

describe('what is made of generated queries', () => {
  test('documents are expanded, and the rest of the collection stays', async () => {
    const out = join(folder, 'queries.jsonl');
    await generateCollection(dataset, firstWords(), { out });
    const expanded = expandDataset(dataset, await queriesByDocument(out));
    const texts = [];
    for await (const { text } of expanded.documents()) texts.push(text);
    expect(texts.slice(0, 3)).toEqual(['near miss\nnear?\nwhat', 'a b\na?\nwhat', '']);
    expect(await expanded.qrels('dev')).toEqual(await dataset.qrels('dev'));
    const others = expandDataset(dataset, new Map([['elsewhere', ['query']]]));
    await expect(
      (async () => {
        for await (const _ of others.documents());
      })(),
    ).rejects.toThrow('has no document "elsewhere"');
  });

  test('a training split of generated queries: the same query of several documents is one', async () => {
    const out = join(folder, 'queries.jsonl');
    await generateCollection(dataset, firstWords(), { out });
    const made = await generatedCollection(dataset, out);
    expect(await made.dataset.splits()).toEqual(['train', 'dev']);
    const queries = [];
    for await (const query of made.dataset.queries()) queries.push(query.text);
    expect(queries).toEqual(['near?', 'what', 'a?', 'b?', 'miss?', 'asked']);
    const qrels = await made.dataset.qrels('train');
    expect([...qrels.get('generated-1')!.keys()]).toEqual(['d0', 'd1', 'd3', 'd4', 'd5']);
    expect([...qrels.get('generated-0')!.keys()]).toEqual(['d0', 'd3']);
  });

  test('a filter keeps the best share of all queries', async () => {
    async function* documents() {
      yield { id: 'a', text: 'x', queries: ['1', '5', '3'] };
      yield { id: 'b', text: 'x', queries: ['2'] };
      yield { id: 'c', text: 'x', queries: ['4', '6'] };
    }
    const scorer = {
      score: async (pairs: readonly (readonly [string, string])[]) =>
        Float32Array.from(pairs, ([query]) => Number(query)),
    };
    const { queries, least, scored } = await filterQueries(documents(), scorer, { keep: 0.5 });
    expect({ least, scored }).toEqual({ least: 4, scored: 6 });
    expect([...queries]).toEqual([
      ['a', ['5']],
      ['b', []],
      ['c', ['4', '6']],
    ]);
    async function* passages() {
      yield { id: 'a', text: 'x', queries: ['1', '6'] };
      yield { id: 'a', text: 'y', queries: ['5'] };
    }
    expect((await filterQueries(passages(), scorer, { keep: 0.67 })).queries.get('a')).toEqual(['6', '5']);
    expect((await filterQueries(documents(), scorer, { keep: 0 })).queries.get('c')).toEqual([]);
  });
});

describe('a model of our own', () => {
  async function saved(): Promise<string> {
    const tokenizer = await Tokenizer.fromJson((await tokenizerJsons()).wordPiece);
    const encoder = createEncoderModel({ tokenizer, hiddenSize: 16, layers: 2, heads: 2, maxLength: 20 });
    const model = createBert2Rnd(encoder, { decoderLayers: 1, maxSource: 20, maxTarget: 8, seed: 3 });
    const path = join(folder, 'model');
    await saveSeq2Seq(path, model);
    const loaded = await loadSeq2Seq(path);
    expect(
      Buffer.from(loaded.parameters.buffer.buffer).equals(Buffer.from(model.parameters.buffer.buffer)),
    ).toBe(true);
    expect(loaded.spec.toConfig()).toEqual(model.spec.toConfig());
    return path;
  }

  test('is written and read again bit for bit, and writes the same in any batch', async () => {
    const generator = await Seq2SeqGenerator.open(await saved(), {
      search: { kind: 'sample', copies: 3, topK: 0, topP: 1, temperature: 1, seed: 4 },
      minTokens: 2,
      session: { threads: 1 },
    });
    const passages = ['near miss', 'a b near', 'miss'].map((text, key) => ({ text, key }));
    const together = await generator.generate(passages);
    expect(together.flat().length).toBeGreaterThan(3);
    expect(together.flat().join(' ')).not.toMatch(/\[(CLS|SEP|PAD|UNK)\]/);
    expect([
      ...(await generator.generate([passages[2]])),
      ...(await generator.generate(passages.slice(0, 2))),
    ]).toEqual([together[2], together[0], together[1]]);
    expect(generator.spent.tokens).toBeGreaterThan(0);
    await generator.close();
  });

  test('a table of words that is not shared is refused', async () => {
    const path = await saved();
    const file = join(path, 'model.safetensors');
    const bytes = await readFile(file);
    const header = JSON.parse(bytes.subarray(8, 8 + Number(bytes.readBigUInt64LE(0))).toString());
    const [start] = header['decoder.bert.embeddings.word_embeddings.weight'].data_offsets;
    bytes.writeFloatLE(0.5, 8 + Number(bytes.readBigUInt64LE(0)) + start);
    await writeFile(file, bytes);
    await expect(loadSeq2Seq(path)).rejects.toThrow(/expected "decoder.bert.*" to equal/);
  });

  test('options that make no sense are told before anything is written', async () => {
    const path = await saved();
    const opened = (options: object) =>
      Seq2SeqGenerator.open(path, { search: { kind: 'greedy' }, ...options });
    await expect(opened({ maxTokens: 9 })).rejects.toThrow('maxTokens: expected at most 8');
    await expect(opened({ minTokens: 8 })).rejects.toThrow(
      'minTokens: expected fewer than maxTokens (8), got 8',
    );
  });

  test('a model that does not write is refused', async () => {
    await expect(Seq2SeqGenerator.open('minilm', { search: { kind: 'greedy' } })).rejects.toThrow(
      'expected a model that writes texts',
    );
  });
});
