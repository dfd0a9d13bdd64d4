import { realpath } from 'node:fs/promises';
import { NearmissError } from '../../../base/errors.js';
import { count, Progress } from '../../../base/progress.js';
import { type Dataset, fullText, openDataset, writeBeir } from '../../../data/index.js';
import {
  expandDataset,
  filterQueries,
  type GeneratedQueries,
  passagesByDocument,
  passageText,
  type QueriedDocument,
} from '../../../generate/index.js';
import { bestModel } from '../../../run/best-model.js';
import { PairScorer } from '../../../teacher/index.js';
import { print, printJson, tell } from '../../output.js';

export interface ExpandFlags {
  queries: string;
  out: string;
  count?: number;
  filter?: string;
  keep: number;
  splitWords?: number;
  overwrite?: boolean;
  threads?: number;
  quiet?: boolean;
  json?: boolean;
}

/** A collection whose queries stand behind its own documents would get them again each time. */
async function requireOther(path: string, out: string): Promise<void> {
  const [from, to] = await Promise.all([path, out].map((place) => realpath(place).catch(() => undefined)));
  if (from === undefined || from !== to) return;
  throw new NearmissError(`${out}: expected another folder than that of the collection`, {
    hint: 'expanded documents are a collection of their own: name a new folder',
  });
}

/** Writes an expanded collection, and says by how much it grew. */
export async function expandCommand(path: string, flags: ExpandFlags): Promise<void> {
  const { out, quiet, overwrite, json } = flags;
  await requireOther(path, out);
  const dataset = await openDataset(path);
  const written = await passagesByDocument(flags.queries, flags.count);
  const filtered = flags.filter === undefined ? undefined : await filter(dataset, written, flags);
  const queries =
    filtered?.queries ??
    new Map([...written].map(([id, own]) => [id, own.flatMap(({ queries: all }) => all)]));
  const grown = { documents: 0, queries: 0, characters: 0, before: 0 };
  const progress = new Progress({ label: 'expand', unit: 'documents', quiet });
  const expanded = expandDataset(dataset, queries, (document, added) => {
    grown.before += document.text.length;
    grown.documents += added.length > 0 ? 1 : 0;
    grown.queries += added.length;
    grown.characters += added.reduce((sum, query) => sum + query.length + 1, 0);
    progress.advance();
  });
  await writeBeir(expanded, out, { overwrite });
  progress.finish();
  const growth = grown.characters / Math.max(1, grown.before);
  const { documents, queries: used } = grown;
  if (json) {
    const { least, scored } = filtered ?? {};
    printJson({ out, documents, queries: used, growth, ...(filtered && { least, scored }) });
    return;
  }
  const dropped = filtered
    ? `; ${count(filtered.scored - used)} were below ${filtered.least.toFixed(3)}`
    : '';
  print(
    `${out}: ${count(used)} queries behind ${count(documents)} documents, ${(growth * 100).toFixed(1)} % more text${dropped}\n`,
  );
  print(
    `k1 and b are best tuned again: nearmiss bm25 index ${out} INDEX, nearmiss bm25 tune INDEX --data ${out}\n`,
  );
}

async function filter(
  dataset: Dataset,
  written: ReadonlyMap<string, readonly GeneratedQueries[]>,
  { filter: model, keep, splitWords, threads, quiet }: ExpandFlags,
) {
  const passages = [...written.values()].flat();
  if (splitWords === undefined && passages.some(({ passage }) => passage > 0)) {
    tell(
      'filter: scores the queries of all passages with the beginning of their document; with --split-words as they were generated it reads the passages\n',
    );
  }
  const scorer = await PairScorer.open(await bestModel(model!), { session: { threads } });
  const total = passages.reduce((sum, { queries }) => sum + queries.length, 0);
  const progress = new Progress({ label: 'filter', unit: 'queries', total, quiet });
  async function* documents(): AsyncGenerator<QueriedDocument> {
    for await (const document of dataset.documents()) {
      for (const { id, passage, queries } of written.get(document.id) ?? []) {
        const text = splitWords ? passageText(document, { passage, splitWords }) : fullText(document);
        yield { id, text, queries };
      }
    }
  }
  try {
    const result = await filterQueries(documents(), scorer, {
      keep,
      onPairs: (pairs) => progress.advance(pairs),
    });
    progress.finish();
    return result;
  } finally {
    await scorer.close();
  }
}
