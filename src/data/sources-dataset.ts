import { crc32 } from 'node:zlib';
import { NearmissError } from '../base/errors.js';
import { detach } from '../base/lines.js';
import type { Dataset, Document, Qrels, Query, TrainingExample } from './dataset.js';
import { IdTable } from './id-table.js';
import { type OnProblem, RecordContext, throwProblem } from './problem.js';
import { collectQrels } from './qrels.js';
import {
  type ExampleDocument,
  flatMapSource,
  type Located,
  type RawExample,
  type RecordSource,
  type Sources,
} from './sources.js';

/**
 * A dataset made of the parts that a reader found. Documents and queries that stand inside training examples are
 * part of the collection, each once; where there are no judgments, the examples' positives are the judgments.
 * No id comes twice: one that does within a file is an error.
 */
export class SourcesDataset implements Dataset {
  readonly name: string;
  readonly sources: Sources;
  readonly #onProblem: OnProblem;

  constructor(sources: Sources, onProblem: OnProblem = throwProblem) {
    this.name = sources.name;
    this.sources = sources;
    this.#onProblem = onProblem;
  }

  async *documents(): AsyncGenerator<Document> {
    if (!hasDocuments(this.sources)) throw noDocuments(this.name);
    for await (const { value } of uniqueDocuments(this.sources, this.#onProblem)) yield value;
  }

  async *queries(split?: string): AsyncGenerator<Query> {
    const judged = split === undefined ? undefined : await this.qrels(split);
    for await (const { value } of uniqueQueries(this.sources, this.#onProblem)) {
      if (!judged || judged.has(value.id)) yield value;
    }
  }

  async splits(): Promise<string[]> {
    return [...new Set([...this.sources.qrels.keys(), ...this.sources.examples.keys()])];
  }

  async qrels(split: string): Promise<Qrels> {
    const source = this.sources.qrels.get(split);
    if (source) return collectQrels(source, this.#onProblem);
    if (!this.sources.examples.has(split)) throw unknownSplit(this.name, split, await this.splits());
    const qrels: Qrels = new Map();
    for await (const { queryId, positives } of this.examples(split)) {
      const judged = qrels.get(queryId) ?? new Map<string, number>();
      for (const { id } of positives) judged.set(detach(id), 1);
      qrels.set(detach(queryId), judged);
    }
    return qrels;
  }

  async exampleSplits(): Promise<string[]> {
    return [...this.sources.examples.keys()];
  }

  async *examples(split: string): AsyncGenerator<TrainingExample> {
    const source = this.sources.examples.get(split);
    if (!source) throw unknownSplit(this.name, split, await this.exampleSplits());
    for await (const { value } of source.read(this.#onProblem)) {
      yield {
        queryId: value.query.id,
        positives: value.positives.map(toScoredId),
        negatives: value.negatives.map(toScoredId),
      };
    }
  }
}

/** Whether there is anything to find: documents of their own, or inside training examples. */
export function hasDocuments({ documents, examples }: Sources): boolean {
  return documents.length > 0 || [...examples.values()].some(({ embeds }) => embeds.documents);
}

/** Every document once, with its place; `ids` gathers their ids in the order of their numbers. */
export function uniqueDocuments(
  sources: Sources,
  onProblem: OnProblem,
  ids = new IdTable(),
): AsyncGenerator<Located<Document>> {
  return unique([...sources.documents, ...embedded(sources, 'documents', embeddedDocuments)], onProblem, ids);
}

/** Every query once, with its place. */
export function uniqueQueries(
  sources: Sources,
  onProblem: OnProblem,
  ids = new IdTable(),
): AsyncGenerator<Located<Query>> {
  return unique([...sources.queries, ...embedded(sources, 'queries', embeddedQueries)], onProblem, ids);
}

/**
 * The same record may stand in several files (`queries.dev.tsv`, `queries.dev.small.tsv`), but once in each, unless
 * the format repeats its records; then the first counts, and one with another text is worth a warning.
 */
async function* unique<T extends { id: string; text: string; title?: string }>(
  sources: RecordSource<T>[],
  onProblem: OnProblem,
  ids: IdTable,
): AsyncGenerator<Located<T>> {
  const checksums: number[] = [];
  for (const source of sources) {
    const known = ids.size;
    checksums.length = 0;
    for await (const record of source.read(onProblem)) {
      const { value, file, line } = record;
      const checksum = source.repeats ? crc32(`${value.title ?? ''}\n${value.text}`) : 0;
      if (ids.add(value.id)) {
        if (source.repeats) checksums[ids.size - 1 - known] = checksum;
        yield record;
        continue;
      }
      const index = ids.indexOf(value.id);
      const at = new RecordContext(file, line, onProblem);
      if (index < known) continue;
      if (!source.repeats) reportDuplicate(value.id, at);
      else if (checksums[index - known] !== checksum) reportConflict(value.id, at);
    }
  }
}

function reportDuplicate(id: string, at: RecordContext): void {
  at.error('duplicate-id', `the id ${JSON.stringify(id)} is taken by a line before`, {
    hint: 'give each record an id of its own',
  });
}

function reportConflict(id: string, at: RecordContext): void {
  at.warning('conflicting-text', `the id ${JSON.stringify(id)} had another text before; the first counts`, {
    hint: 'give each text an id of its own',
  });
}

function embedded<T>(
  sources: Sources,
  part: 'documents' | 'queries',
  extract: (example: RawExample) => T[],
): RecordSource<T>[] {
  return [...sources.examples.values()]
    .filter(({ embeds }) => embeds[part])
    .map((source) => flatMapSource(source, extract));
}

function embeddedDocuments({ positives, negatives }: RawExample): Document[] {
  return [...positives, ...negatives].map(({ document }) => document).filter(hasText);
}

function embeddedQueries({ query }: RawExample): Query[] {
  return hasText(query) ? [query] : [];
}

function toScoredId({ document, score }: ExampleDocument): { id: string; score?: number } {
  return score === undefined ? { id: document.id } : { id: document.id, score };
}

function hasText<T extends { text?: string }>(record: T): record is T & { text: string } {
  return record.text !== undefined;
}

function noDocuments(name: string): NearmissError {
  return new NearmissError(`${name}: it has no documents`, {
    hint: 'a BEIR folder needs corpus.jsonl; files with ids only need --documents FILE (and --queries FILE)',
  });
}

function unknownSplit(name: string, split: string, splits: string[]): NearmissError {
  return new NearmissError(`${name}: no split "${split}"`, {
    hint:
      splits.length > 0
        ? `it has: ${splits.join(', ')}`
        : 'it has no judgments at all; add them and their queries: nearmiss data import … --queries FILE --qrels SPLIT=FILE',
  });
}
