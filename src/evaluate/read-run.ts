import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { NearmissError, shorten } from '../base/errors.js';
import { detach, readLineBatches } from '../base/lines.js';
import type { Ranking, Run } from './run.js';

export interface ReadRunOptions {
  /**
   * `score` (default): the score column decides, as in trec_eval. `rank`: the rank column decides, as in MS MARCO's
   * own evaluation; the scores become 1 / rank.
   */
  order?: 'score' | 'rank';
  /** Rounds scores to single precision, as trec_eval up to 9.0.8 and pytrec_eval do, which makes more ties. */
  singlePrecision?: boolean;
}

/**
 * Reads a run: TREC (`qid Q0 docid rank score tag`, anything after the tag is ignored) or MS MARCO
 * (`qid⇥docid⇥rank`); plain or gzip, `-` is standard input. Lines may come in any order; blank lines and lines that
 * start with `#` are passed over.
 *
 * @example
 * const run = await readRun('run.bm25.trec');
 * run.rankings.get('19335')?.ids.length; // 1000
 */
export async function readRun(path: string, options: ReadRunOptions = {}): Promise<Run> {
  await refuseFolder(path);
  const reader = new RunReader(path, options);
  for await (const { first, lines } of readLineBatches(path)) {
    for (let i = 0; i < lines.length; i++) reader.add(lines[i], first + i);
  }
  return reader.finish();
}

/** A training run is a folder, and is called a run as well. */
async function refuseFolder(path: string): Promise<void> {
  if (path === '-' || !(await stat(path).catch(() => undefined))?.isDirectory()) return;
  throw new NearmissError(`${path}: expected a run file, got a folder`, {
    hint: `a training run is measured by nearmiss eval ${path} --split test; nearmiss search ${path} --queries … --run FILE makes a run file of it`,
  });
}

/** What to call the run in a file that does not say it: `runs/bm25.trec.gz` is `bm25`. */
export function runName(path: string): string {
  return path === '-' ? 'stdin' : basename(path).replace(/(\.(trec|txt|tsv|run))?(\.gz)?$/, '');
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;
const FORMATS_HINT =
  'a TREC run has 6 columns (qid Q0 docid rank score tag), an MS MARCO run has 3 (qid docid rank)';

/** V8 copies shorter substrings; longer ones keep the chunk of the file they are cut from. */
const SLICED_FROM = 13;

/** One query's hits while the file is being read; line numbers serve the error messages. */
interface Gathered {
  ids: string[];
  scores: number[];
  lines: number[];
}

class RunReader {
  readonly #path: string;
  readonly #options: ReadRunOptions;
  readonly #queries = new Map<string, Gathered>();
  readonly #fields = new Array<string>(6).fill('');
  #columns = 0;
  #tag = '';
  #lastQuery = '';
  #last: Gathered | undefined;

  constructor(path: string, options: ReadRunOptions) {
    this.#path = path;
    this.#options = options;
  }

  add(text: string, line: number): void {
    const fields = this.#fields;
    const count = splitFields(text, fields);
    if (count === 0 || fields[0].startsWith('#')) return;
    this.#checkColumns(count, line);
    const [query] = fields;
    if (this.#columns === 3) {
      this.#push(query, fields[1], this.#rankScore(fields[2], line), line);
      return;
    }
    this.#tag = fields[5];
    const byRank = this.#options.order === 'rank';
    this.#push(
      query,
      fields[2],
      byRank ? this.#rankScore(fields[3], line) : this.#score(fields[4], line),
      line,
    );
  }

  finish(): Run {
    const rankings = new Map<string, Ranking>();
    for (const [query, { ids, scores, lines }] of this.#queries) {
      this.#checkDuplicates(query, ids, lines);
      rankings.set(query, { ids, scores: Float64Array.from(scores) });
      this.#queries.delete(query);
    }
    if (rankings.size === 0) {
      throw new NearmissError(`${this.#path}: no hits in this run`, { hint: FORMATS_HINT });
    }
    return { tag: this.#tag === '' ? runName(this.#path) : detach(this.#tag), rankings };
  }

  #push(query: string, id: string, score: number, line: number): void {
    if (query !== this.#lastQuery || !this.#last) {
      this.#last = this.#queries.get(query);
      if (!this.#last) {
        this.#last = { ids: [], scores: [], lines: [] };
        this.#queries.set(detach(query), this.#last);
      }
      this.#lastQuery = query;
    }
    this.#last.ids.push(id.length < SLICED_FROM ? id : detach(id));
    this.#last.scores.push(this.#options.singlePrecision ? Math.fround(score) : score);
    this.#last.lines.push(line);
  }

  #checkColumns(count: number, line: number): void {
    const columns = Math.min(count, 6);
    if (columns !== 6 && columns !== 3) {
      const hint = count === 4 ? 'is this a qrels file? the run is named first' : FORMATS_HINT;
      throw this.#error(line, `expected 6 columns or 3, got ${count}`, hint);
    }
    if (this.#columns === 0) this.#columns = columns;
    if (columns !== this.#columns) {
      throw this.#error(
        line,
        `expected ${this.#columns} columns as in the lines before, got ${count}`,
        FORMATS_HINT,
      );
    }
  }

  #score(text: string, line: number): number {
    if (NUMBER.test(text)) return Number(text);
    const infinity = INFINITY.exec(text);
    if (infinity) return infinity[1] === '-' ? -Infinity : Infinity;
    throw this.#error(
      line,
      `field "score": expected a number, got ${JSON.stringify(shorten(text))}`,
      FORMATS_HINT,
    );
  }

  #rankScore(text: string, line: number): number {
    if (/^[1-9]\d*$/.test(text)) return 1 / Number(text);
    const hint =
      text === '0'
        ? 'ranks start at 1; in a run whose rank column is not filled (as BEIR writes it), order by score'
        : FORMATS_HINT;
    throw this.#error(
      line,
      `field "rank": expected a whole number from 1, got ${JSON.stringify(shorten(text))}`,
      hint,
    );
  }

  #checkDuplicates(query: string, ids: string[], lines: number[]): void {
    const seen = new Set(ids);
    if (seen.size === ids.length) return;
    const second = ids.findIndex((id, i) => ids.indexOf(id) < i);
    const first = ids.indexOf(ids[second]);
    throw this.#error(
      lines[second],
      `document ${JSON.stringify(ids[second])} is listed twice for query ${JSON.stringify(query)}, first in line ${lines[first]}`,
      'keep the hit with the higher score',
    );
  }

  #error(line: number, message: string, hint: string): NearmissError {
    return new NearmissError(`${this.#path}:${line}: ${message}`, { hint });
  }
}

/** Puts the first fields of a line, separated by white space, into `fields`; returns how many the line has. */
function splitFields(text: string, fields: string[]): number {
  let count = 0;
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const blank = i === text.length || isBlank(text.charCodeAt(i));
    if (!blank) {
      if (start < 0) start = i;
    } else if (start >= 0) {
      if (count < fields.length) fields[count] = text.slice(start, i);
      count++;
      start = -1;
    }
  }
  return count;
}

/** What C's `isspace` takes for white space. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d);
}
