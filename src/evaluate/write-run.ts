import { NearmissError } from '../base/errors.js';
import { AtomicFile } from '../base/files.js';
import { compareBytes } from './byte-order.js';
import { type Ranking, type Run, selectHits } from './run.js';

/** `trec`: `qid Q0 docid rank score tag`; `msmarco`: `qid⇥docid⇥rank`. */
export type RunFormat = 'trec' | 'msmarco';

export interface WriteRunOptions {
  format?: RunFormat;
  /** Hits written for each query; all when left out. */
  depth?: number;
}

/**
 * Writes a run, complete or not at all: queries in byte order, hits in rank order, ranks from 1, and every score with
 * as many digits as reading it back needs to give the same number. The same run always gives the same bytes.
 *
 * @example
 * await writeRun('run.trec', run, { depth: 1000 });
 */
export async function writeRun(path: string, run: Run, options: WriteRunOptions = {}): Promise<void> {
  const file = await AtomicFile.create(path);
  try {
    for (const lines of formatRun(run, options)) await file.write(lines);
    await file.commit();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

/** The lines that {@link writeRun} writes, one query at a time. */
export function* formatRun(run: Run, options: WriteRunOptions = {}): Generator<string> {
  const tag = column('tag', run.tag);
  for (const query of [...run.rankings.keys()].sort(compareBytes)) {
    const ranking = run.rankings.get(query)!;
    const ordered = selectHits(query, ranking, options);
    column('query id', query);
    yield options.format === 'msmarco' ? msmarcoLines(query, ordered) : trecLines(query, ordered, tag);
  }
}

function trecLines(query: string, { ids, scores }: Ranking, tag: string): string {
  let lines = '';
  for (let i = 0; i < ids.length; i++) {
    lines += `${query} Q0 ${column('document id', ids[i])} ${i + 1} ${scores[i]} ${tag}\n`;
  }
  return lines;
}

function msmarcoLines(query: string, { ids }: Ranking): string {
  let lines = '';
  for (let i = 0; i < ids.length; i++) lines += `${query}\t${column('document id', ids[i])}\t${i + 1}\n`;
  return lines;
}

/** A blank inside a column would shift the columns after it. */
function column(name: string, value: string): string {
  if (value !== '' && !/\s/.test(value)) return value;
  throw new NearmissError(`${name} ${JSON.stringify(value)} cannot stand in a run file`, {
    hint: 'the columns of a run are separated by blanks: use ids without them',
  });
}
