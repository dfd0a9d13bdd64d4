// Trains a tokenizer, builds a token cache and reads it back, on a collection of ../shared/data: one JSON line.
// Usage: npx tsx bench/text.ts [--set scifact] [--vocabulary 8000] [--repeat 1]
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { openDataset } from '../src/data/open.js';
import { documentTexts, openTokenCache, type TextSource } from '../src/data/tokens/token-cache.js';
import { Random } from '../src/engine/random.js';
import { trainTokenizer } from '../src/text/train-tokenizer.js';

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'scifact' },
    vocabulary: { type: 'string', default: '8000' },
    repeat: { type: 'string', default: '1' },
  },
});
const folder = resolve(import.meta.dirname, '../../shared/data', values.set);
if (!existsSync(folder)) {
  process.stderr.write(`bench/text reads ${values.set} in ../shared/data, which is not on this machine\n`);
  process.exit(0);
}
const dataset = await openDataset(folder);
const once = documentTexts(dataset);

/** The collection several times over, to see that memory does not grow with it. */
const source: TextSource = {
  composition: once.composition,
  async *records() {
    for (let round = 0; round < Number(values.repeat); round++) {
      for await (const { id, text } of once.records()) yield { id: `${round}-${id}`, text };
    }
  },
};

async function timed<T>(run: () => Promise<T>): Promise<[T, number]> {
  const start = performance.now();
  const result = await run();
  return [result, Number(((performance.now() - start) / 1000).toFixed(2))];
}

let characters = 0;
async function* texts(): AsyncGenerator<string> {
  for await (const { text } of once.records()) {
    characters += text.length;
    yield text;
  }
}

const directory = await mkdtemp(join(tmpdir(), 'nearmiss-bench-'));
try {
  const vocabularySize = Number(values.vocabulary);
  const [tokenizer, trainSeconds] = await timed(() =>
    trainTokenizer(texts(), { vocabularySize, quiet: true }),
  );
  const open = () =>
    openTokenCache({ source, fingerprint: 'bench', tokenizer, maxLength: 256, directory, quiet: true });
  const [cache, buildSeconds] = await timed(open);
  await cache.close();
  const [again, openSeconds] = await timed(open);
  const random = Random.from(42, 'bench');
  const [, randomSeconds] = await timed(async () => {
    for (let i = 0; i < 1000; i++)
      await again.batch(Array.from({ length: 32 }, () => random.integer(again.count)));
  });
  const result = {
    set: values.set,
    megabytesTrained: Number((characters / 1e6).toFixed(1)),
    vocabulary: tokenizer.vocabularySize,
    trainSeconds,
    texts: again.count,
    tokens: again.tokenCount,
    buildSeconds,
    openSeconds,
    secondsFor1000BatchesOf32: randomSeconds,
    peakRssMegabytes: Math.round(process.resourceUsage().maxRSS / 1024),
  };
  process.stdout.write(`${JSON.stringify(result)}\n`);
  await again.close();
} finally {
  await rm(directory, { recursive: true, force: true });
}
