import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NearmissError } from '../../../base/errors.js';
import { count, Progress } from '../../../base/progress.js';
import { type Dataset, fullText } from '../../../data/dataset.js';
import {
  documentNumbers,
  gatherExamples,
  listsFromBm25,
  listsFromModel,
  listsFromRun,
  type MineOptions,
  type MiningData,
} from '../../../negatives/index.js';
import { tell } from '../../output.js';
import type { MineFlags } from './flags.js';

/** What ranks, ready to be mined. */
export interface Rankings extends Pick<MineOptions, 'source' | 'lists' | 'index'> {
  close(): Promise<void>;
}

/** Opens the source that the command line names. */
export async function openRankings(dataset: Dataset, data: MiningData, flags: MineFlags): Promise<Rankings> {
  if (flags.source === 'bm25') return bm25Rankings(dataset, data, flags);
  if (flags.source === 'model') return modelRankings(dataset, data, flags);
  return { ...(await fileRankings(dataset, data, flags)), source: 'static', close: async () => {} };
}

async function bm25Rankings(dataset: Dataset, data: MiningData, flags: MineFlags): Promise<Rankings> {
  const { buildBm25Index, DEFAULT_B, DEFAULT_K1, openBm25Index } = await import(
    '../../../index/bm25/index.js'
  );
  const temporary = flags.index ? undefined : await mkdtemp(join(tmpdir(), 'nearmiss-mine-'));
  const close = async (): Promise<void> => {
    if (temporary) await rm(temporary, { recursive: true, force: true });
  };
  try {
    const folder = flags.index ?? join(temporary!, 'bm25');
    if (temporary) {
      const progress = new Progress({ label: 'index', unit: 'documents', total: data.documents.size });
      await buildBm25Index(folder, dataset.documents(), {
        language: flags.language,
        onDocument: () => progress.advance(),
      });
      progress.finish();
    }
    const index = await openBm25Index(folder);
    const { k1 = DEFAULT_K1, b = DEFAULT_B } = flags;
    const lists = listsFromBm25(index, queryTexts(data), {
      depth: flags.depth,
      threads: flags.threads,
      scoring: { k1, b },
      numbers: flags.index ? documentNumbers(index, data.documents) : undefined,
    });
    return { source: 'bm25', index: `BM25 (${index.meta.language}, k1 ${k1}, b ${b})`, lists, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function modelRankings(dataset: Dataset, data: MiningData, flags: MineFlags): Promise<Rankings> {
  const [{ Encoder }, { loadEncoderModel }, { vectorIndexBytes }] = await Promise.all([
    import('../../../model/encoder/encoder.js'),
    import('../../../model/encoder/encoder-model.js'),
    import('../../../index/vectors/index.js'),
  ]);
  const model = await loadEncoderModel(flags.model!, { maxLength: flags.maxLength });
  const encoder = await Encoder.create(model, {
    session: { threads: flags.threads, precision: flags.precision },
  });
  const documents = data.documents.size;
  const { dimension } = encoder;
  const bytes = vectorIndexBytes({ type: 'flat', storage: 'f32', count: documents, dimension });
  tell(
    `${model.name}: to encode ${count(documents)} documents and ${count(data.queries.length)} queries, ` +
      `up to ${model.maxLength} tokens each; their ${dimension} numbers take ${(bytes / 1e6).toFixed(1)} MB of memory\n`,
  );
  const progress = new Progress({ label: 'encode', unit: 'documents', total: documents });
  let encoded = 0;
  const lists = listsFromModel(encoder, {
    documents: texts(dataset),
    queries: queryTexts(data),
    depth: flags.depth,
    onDocuments: (done) => {
      progress.advance(done);
      encoded += done;
      if (encoded === documents) progress.finish();
    },
  });
  return { source: 'ann', index: `flat, ${model.name}`, lists, close: () => encoder.release() };
}

async function fileRankings(
  dataset: Dataset,
  data: MiningData,
  flags: MineFlags,
): Promise<Pick<Rankings, 'lists' | 'index'>> {
  const ids = { queries: data.queryIds, documents: data.documents };
  if (flags.source === 'run') {
    const { readRun } = await import('../../../evaluate/read-run.js');
    return { index: flags.run, lists: listsFromRun(await readRun(flags.run!), ids) };
  }
  const splits = (await dataset.exampleSplits?.()) ?? [];
  if (!splits.includes(flags.split)) {
    throw new NearmissError(`${dataset.name}: no training examples in split "${flags.split}"`, {
      hint: 'name a training file with --examples FILE, or mine with --source bm25',
    });
  }
  const { lists, positives } = await gatherExamples(dataset.examples!(flags.split), ids);
  for (const { query } of lists) data.positives.add(query, positives.of(query));
  return { index: flags.examples ?? `examples of ${dataset.name}`, lists };
}

function queryTexts({ queries }: MiningData): { query: number; text: string }[] {
  return queries.map(({ text }, query) => ({ query, text }));
}

async function* texts(dataset: Dataset): AsyncGenerator<string> {
  for await (const document of dataset.documents()) yield fullText(document);
}
