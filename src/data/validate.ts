import type { Judgment } from './dataset.js';
import { IdTable } from './id-table.js';
import { type OpenOptions, openSources } from './open.js';
import { type OnProblem, type Problem, RecordContext } from './problem.js';
import { collectQrels, isQrelsId, UNWRITABLE_ID } from './qrels.js';
import type { ExampleSource, Located, RecordSource, Sources } from './sources.js';
import { hasDocuments, uniqueDocuments, uniqueQueries } from './sources-dataset.js';

export interface ValidateOptions extends Omit<OpenOptions, 'onProblem'> {
  /** How many problems to keep for the report; all are counted. Default 100. */
  max?: number;
  /** Stop at the first error. */
  first?: boolean;
  onRecord?: () => void;
}

/** What `data validate` reports. */
export interface ValidationReport {
  format: string;
  errors: number;
  warnings: number;
  /** How many problems of each kind. */
  codes: Record<string, number>;
  /** The first of them, in the order of the files. */
  problems: Problem[];
  /** What was read and found in order. */
  checked: { documents: number; queries: number; judgments: number; examples: number };
  /** The check ended at the first error. */
  stopped: boolean;
  /** How many files of each ending that is not read a folder of texts has. */
  leftOut?: Sources['leftOut'];
}

/**
 * Reads a whole collection and lists what is wrong with it: broken UTF-8 and JSON, missing and mistyped fields, ids
 * that come twice or that no run file can hold, empty texts, judgments and training examples that point nowhere or contradict each other.
 *
 * @example
 * const report = await validateDataset('data/mine');
 * for (const problem of report.problems) console.log(formatProblem(problem));
 */
export async function validateDataset(
  path: string,
  options: ValidateOptions = {},
): Promise<ValidationReport> {
  const sources = await openSources(path, options);
  const report = emptyReport(sources);
  const onProblem = collector(report, options);
  try {
    await new Validation(sources, onProblem, report, options.onRecord ?? (() => undefined)).run();
  } catch (error) {
    if (!(error instanceof StopValidation)) throw error;
    report.stopped = true;
  }
  return report;
}

class StopValidation extends Error {}

class Validation {
  readonly #documents = new IdTable();
  readonly #queries = new IdTable();
  readonly #read = new Set<string>();

  constructor(
    readonly sources: Sources,
    readonly onProblem: OnProblem,
    readonly report: ValidationReport,
    readonly onRecord: () => void,
  ) {}

  async run(): Promise<void> {
    const { sources } = this;
    const { checked } = this.report;
    this.#checkParts();
    for await (const document of uniqueDocuments(sources, this.#unlessRead, this.#documents)) {
      this.#checkId(document);
      checked.documents++;
      this.onRecord();
    }
    this.#markRead([...sources.documents, ...embedding(sources, 'documents')]);
    for await (const query of uniqueQueries(sources, this.#unlessRead, this.#queries)) {
      this.#checkId(query);
      checked.queries++;
      this.onRecord();
    }
    this.#markRead([...sources.queries, ...embedding(sources, 'queries')]);
    for (const source of sources.qrels.values()) await this.#checkQrels(source);
    for (const source of sources.examples.values()) await this.#checkExamples(source);
  }

  /** A training file is read for its documents, its queries and its examples; its reader complains once. */
  readonly #unlessRead: OnProblem = (problem) => {
    if (!this.#read.has(problem.file)) this.onProblem(problem);
  };

  #markRead(sources: { file: string }[]): void {
    for (const { file } of sources) this.#read.add(file);
  }

  #checkId({ value: { id }, file, line }: Located<{ id: string }>): void {
    if (!/\s/.test(id)) return;
    const at = new RecordContext(file, line, this.#unlessRead);
    at.warning('blank-in-id', `the id ${JSON.stringify(id)} contains white space`, {
      hint: 'run files and TREC judgments separate their columns by it, so they cannot hold it: change the id',
    });
  }

  /** A collection must hold something to find, and something to ask where it says what is relevant. */
  #checkParts(): void {
    const { queries, qrels, examples, name } = this.sources;
    const missing = (what: string, hint: string): void =>
      this.onProblem({ severity: 'error', code: 'missing-file', file: name, message: `no ${what}`, hint });
    if (!hasDocuments(this.sources)) {
      missing('documents', 'add corpus.jsonl, or name the file with --documents');
    }
    if (
      queries.length === 0 &&
      embedding(this.sources, 'queries').length === 0 &&
      qrels.size + examples.size > 0
    ) {
      missing('queries', 'add queries.jsonl, or name the file with --queries');
    }
  }

  async #checkQrels(source: RecordSource<Judgment>): Promise<void> {
    const checking: RecordSource<Judgment> = {
      file: source.file,
      read: (onProblem) => this.#checkJudgments(source, onProblem),
    };
    const qrels = await collectQrels(checking, this.onProblem);
    const warn = (code: string, message: string, hint: string): void =>
      this.onProblem({ severity: 'warning', code, file: source.file, message, hint });
    if (qrels.size === 0) warn('empty-split', 'no judgments', 'delete the file, or fill it');
    for (const [queryId, judged] of qrels) {
      if ([...judged.values()].some((grade) => grade > 0)) continue;
      const query = JSON.stringify(queryId);
      warn(
        'no-positive',
        `query ${query} has no relevant document`,
        'it cannot be answered: measures leave it out',
      );
    }
  }

  async *#checkJudgments(
    source: RecordSource<Judgment>,
    onProblem: OnProblem,
  ): AsyncGenerator<Located<Judgment>> {
    for await (const record of source.read(onProblem)) {
      const at = new RecordContext(record.file, record.line, onProblem);
      this.#checkReference({ kind: 'query', id: record.value.queryId, field: 'query-id' }, at);
      this.#checkReference({ kind: 'document', id: record.value.documentId, field: 'corpus-id' }, at);
      this.report.checked.judgments++;
      yield record;
    }
  }

  async #checkExamples(source: ExampleSource): Promise<void> {
    for await (const { value, file, line } of source.read(this.#unlessRead)) {
      const at = new RecordContext(file, line, this.onProblem);
      this.#checkReference({ kind: 'query', id: value.query.id, field: 'query' }, at);
      const positives = new Set(value.positives.map(({ document }) => document.id));
      for (const id of positives) this.#checkReference({ kind: 'document', id, field: 'positives' }, at);
      if (positives.size === 0)
        at.error('no-positive', 'the example has no positive', { field: 'positives' });
      for (const { document } of value.negatives) {
        this.#checkReference({ kind: 'document', id: document.id, field: 'negatives' }, at);
        if (!positives.has(document.id)) continue;
        const id = JSON.stringify(document.id);
        at.error('positive-as-negative', `document ${id} is positive and negative at once`, {
          field: 'negatives',
        });
      }
      this.report.checked.examples++;
    }
  }

  #checkReference({ kind, id, field }: Reference, at: RecordContext): void {
    const ids = kind === 'query' ? this.#queries : this.#documents;
    if (!isQrelsId(id)) {
      const expected = `the id ${JSON.stringify(id)}: expected no tabs or line breaks`;
      at.error('unwritable-id', expected, { field, hint: UNWRITABLE_ID });
    }
    if (ids.has(id)) return;
    at.error(`unknown-${kind}`, `points to ${kind} ${JSON.stringify(id)}, which does not exist`, {
      field,
      hint: `add the ${kind}, or remove the line`,
    });
  }
}

/** What a record points to, and in which of its fields. */
interface Reference {
  kind: 'query' | 'document';
  id: string;
  field: string;
}

/** The training files that hold documents or queries. */
function embedding({ examples }: Sources, part: 'documents' | 'queries'): ExampleSource[] {
  return [...examples.values()].filter(({ embeds }) => embeds[part]);
}

function emptyReport({ format, leftOut }: Sources): ValidationReport {
  const checked = { documents: 0, queries: 0, judgments: 0, examples: 0 };
  return { format, errors: 0, warnings: 0, codes: {}, problems: [], checked, stopped: false, leftOut };
}

function collector(report: ValidationReport, { max = 100, first = false }: ValidateOptions): OnProblem {
  return (problem) => {
    if (problem.severity === 'error') report.errors++;
    else report.warnings++;
    report.codes[problem.code] = (report.codes[problem.code] ?? 0) + 1;
    if (report.problems.length < max) report.problems.push(problem);
    if (first && problem.severity === 'error') throw new StopValidation();
  };
}
