import { count, Progress } from '../../../base/progress.js';
import { type Dataset, fullText, openDataset, writeBeir } from '../../../data/index.js';
import {
  expandDataset,
  filterQueries,
  type QueriedDocument,
  queriesByDocument,
} from '../../../generate/index.js';
import { bestModel } from '../../../run/best-model.js';
import { PairScorer } from '../../../teacher/index.js';
import { print, printJson } from '../../output.js';

export interface ExpandFlags {
  queries: string;
  out: string;
  count?: number;
  filter?: string;
  keep: number;
  overwrite?: boolean;
  threads?: number;
  quiet?: boolean;
  json?: boolean;
}

type Queries = Map<string, string[]>;

/** Writes an expanded collection, and says by how much it grew. */
export async function expandCommand(path: string, flags: ExpandFlags): Promise<void> {
  const { out, quiet, overwrite, json } = flags;
  const dataset = await openDataset(path);
  const written = await queriesByDocument(flags.queries, flags.count);
  const filtered = flags.filter === undefined ? undefined : await filter(dataset, written, flags);
  const queries = filtered?.queries ?? written;
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
  queries: Queries,
  { filter: model, keep, threads, quiet }: ExpandFlags,
) {
  const scorer = await PairScorer.open(await bestModel(model!), { session: { threads } });
  const total = [...queries.values()].reduce((sum, own) => sum + own.length, 0);
  const progress = new Progress({ label: 'filter', unit: 'queries', total, quiet });
  async function* documents(): AsyncGenerator<QueriedDocument> {
    for await (const document of dataset.documents()) {
      const own = queries.get(document.id);
      if (own) yield { id: document.id, text: fullText(document), queries: own };
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
