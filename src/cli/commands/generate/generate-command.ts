import { readFile } from 'node:fs/promises';
import { NearmissError, UsageError } from '../../../base/errors.js';
import { secondsSince } from '../../../base/numbers/seconds-since.js';
import { count, counted, Progress } from '../../../base/progress.js';
import { ContentHash } from '../../../data/content-hash.js';
import type { Dataset } from '../../../data/index.js';
import { fullText, openDataset, writeBeir } from '../../../data/index.js';
import {
  type Example,
  type GenerateOutcome,
  generateCollection,
  generatedCollection,
  isEndpoint,
  openGenerator,
  type QueryGenerator,
  type WriteOptions,
} from '../../../generate/index.js';
import { bestModel } from '../../../run/best-model.js';
import { type FleetFlags, fleetOf } from '../../fleet/fleet-options.js';
import { print, printJson, tell } from '../../output.js';

export interface GenerateFlags
  extends Omit<WriteOptions, 'session' | 'endpoint' | 'noRepeat' | 'fleet'>,
    FleetFlags {
  generator: string;
  out: string;
  collection?: string;
  splitWords?: number;
  limit?: number;
  noRepeat?: number;
  repeat?: number;
  generatorModel?: string;
  prompt?: string;
  shots: number;
  concurrency: number;
  perMinute?: number;
  retries: number;
  timeout: number;
  price?: string;
  threads?: number;
  quiet?: boolean;
  json?: boolean;
}

/** Words of a passage that is shown as an example. */
const EXAMPLE_WORDS = 120;

/** Writes queries for a collection, and says what it took. */
export async function generateCommand(path: string, flags: GenerateFlags): Promise<void> {
  const prices = flags.price === undefined ? undefined : pricesIn(flags.price);
  const dataset = await openDataset(path);
  const watch: Watch = { onRetry: () => undefined };
  const generator = await open(dataset, flags, { prices, watch });
  const started = performance.now();
  let outcome: GenerateOutcome;
  try {
    outcome = await writeQueries(dataset, { generator, watch }, flags);
  } finally {
    await generator.close();
  }
  const seconds = secondsSince(started);
  const { spent } = generator;
  const written = outcome.passages - outcome.known;
  const tokensPerSecond = Math.round(spent.tokens / seconds);
  const collection = outcome.finished && flags.collection ? await writeCollection(dataset, flags) : undefined;
  if (!outcome.finished) process.exitCode = 130;
  if (flags.json) {
    printJson({
      ...outcome,
      ...spent,
      seconds,
      tokensPerSecond,
      out: flags.out,
      ...(collection && { collection }),
    });
    return;
  }
  if (!outcome.finished) {
    tell(`${flags.out}: stopped behind ${count(outcome.passages)} passages; the same command goes on\n`);
    return;
  }
  const before = outcome.known > 0 ? `, behind ${counted(outcome.known, 'passage')} from before` : '';
  print(`${flags.out}: ${count(outcome.queries)} queries for ${count(written)} passages${before}\n`);
  const cost =
    prices && spent.cost === undefined ? ', cost unknown: the service counts no tokens' : costText(generator);
  print(`${count(spent.tokens)} tokens written, ${count(tokensPerSecond)} tokens/s${cost}\n`);
  if (spent.without) {
    const { passages, reason } = spent.without;
    tell(`${counted(passages, 'passage')} without queries; the last: ${reason}\n`);
  }
  if (collection) {
    print(
      `${flags.collection}: ${count(collection.queries)} training queries, ${count(collection.judgments)} judgments\n`,
    );
  }
}

function costText({ spent: { cost, retries } }: QueryGenerator): string {
  const again = retries > 0 ? `, ${count(retries)} requests sent again` : '';
  return `${cost === undefined ? '' : `, cost ${cost.toFixed(4)}`}${again}`;
}

/** What is told while it writes; who shows it is known only when it begins. */
interface Watch {
  onRetry: (reason: string) => void;
}

interface OpenParts {
  prices?: { read: number; written: number };
  watch: Watch;
}

async function open(
  dataset: Dataset,
  flags: GenerateFlags,
  { prices, watch }: OpenParts,
): Promise<QueryGenerator> {
  const { generator, concurrency, perMinute, retries, timeout, threads, generatorModel: model } = flags;
  const local = !isEndpoint(generator);
  if (local) refuseForOwn(flags);
  return openGenerator(local ? await bestModel(generator) : generator, {
    ...flags,
    noRepeat: flags.noRepeat ?? 0,
    session: { threads },
    fleet: fleetOf(flags),
    endpoint: {
      model,
      concurrency,
      perMinute,
      retries,
      timeoutSeconds: timeout,
      key: process.env.NEARMISS_GENERATOR_KEY,
      examples: local ? [] : await examplesOf(dataset, flags.shots),
      ...(flags.prompt && { prompt: await readPrompt(flags.prompt) }),
      ...(prices && { price: prices }),
      onRetry: (reason) => watch.onRetry(reason),
    },
  });
}

/** What only a service has a use for is a mistake where a model of our own writes. */
function refuseForOwn({ generatorModel, prompt, shots, perMinute, price }: GenerateFlags): void {
  const given = { 'generator-model': generatorModel, prompt, shots, 'per-minute': perMinute, price };
  const [name] = Object.entries(given).find(([, value]) => value) ?? [];
  if (name) throw new UsageError(`--${name} is for a service, and --generator names a model`);
}

async function writeQueries(
  dataset: Dataset,
  { generator, watch }: { generator: QueryGenerator; watch: Watch },
  { out, splitWords, limit, quiet }: GenerateFlags,
): Promise<GenerateOutcome> {
  const hash = new ContentHash();
  let documents = 0;
  for await (const document of dataset.documents()) {
    if (limit !== undefined && documents >= limit) break;
    hash.add(document);
    documents++;
  }
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal);
  // The number of passages of split documents is known only at the end.
  const total = splitWords === undefined ? documents : undefined;
  const progress = new Progress({ label: 'generate', unit: 'passages', total, quiet });
  watch.onRetry = (reason) => progress.advance(0, `asked again: ${reason}`);
  const started = performance.now();
  let done = 0;
  try {
    const outcome = await generateCollection(dataset, generator, {
      out,
      splitWords,
      limit,
      dataFingerprint: hash.digest(),
      signal: stop.signal,
      onPassages(passages) {
        const seconds = secondsSince(started);
        const rate = `${count(Math.round(generator.spent.tokens / seconds))} tokens/s`;
        progress.advance(passages - done, `${rate}${costText(generator)}`);
        done = passages;
      },
    });
    progress.finish();
    return outcome;
  } finally {
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  }
}

async function writeCollection(dataset: Dataset, flags: GenerateFlags) {
  const { dataset: made, queries, judgments } = await generatedCollection(dataset, flags.out);
  await writeBeir(made, flags.collection!);
  return { path: flags.collection, queries, judgments };
}

/** Training queries with the beginnings of their documents, to show what is wanted. */
async function examplesOf(dataset: Dataset, shots: number): Promise<Example[]> {
  if (shots === 0) return [];
  if (!(await dataset.splits()).includes('train')) {
    throw new NearmissError(`--shots ${shots}: the collection has no training queries to show`, {
      hint: 'leave --shots out, or write examples into a prompt of your own (--prompt)',
    });
  }
  const chosen: { documentId: string; query: string }[] = [];
  const qrels = await dataset.qrels('train');
  for await (const { id, text } of dataset.queries('train')) {
    const [documentId] = [...(qrels.get(id) ?? [])].find(([, grade]) => grade > 0) ?? [];
    if (documentId === undefined) continue;
    chosen.push({ documentId, query: text });
    if (chosen.length === shots) break;
  }
  const texts = new Map<string, string>();
  const wanted = new Set(chosen.map(({ documentId }) => documentId));
  for await (const document of dataset.documents()) {
    if (wanted.has(document.id)) {
      texts.set(document.id, fullText(document).split(/\s+/).slice(0, EXAMPLE_WORDS).join(' '));
    }
  }
  return chosen.flatMap(({ documentId, query }) => {
    const passage = texts.get(documentId);
    return passage === undefined ? [] : { passage, query };
  });
}

async function readPrompt(path: string): Promise<string> {
  const prompt = await readFile(path, 'utf8').catch((error) => {
    throw new NearmissError(`${path}: cannot read the prompt: ${error.message}`, { cause: error });
  });
  if (prompt.includes('{passage}')) return prompt;
  throw new NearmissError(`${path}: expected {passage} in the prompt, got none`, {
    hint: 'write {passage} where the passage is to stand, {count} for the number of queries',
  });
}

function pricesIn(text: string): { read: number; written: number } {
  const [read, written, ...rest] = text.split(',').map(Number);
  if (rest.length === 0 && read >= 0 && written >= 0) return { read, written };
  throw new UsageError(`--price: expected two numbers with a comma between, got ${text}`);
}
