import { stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../base/errors.js';
import { madeBy } from '../base/made-reference.js';
import { text } from '../base/settings.js';
import { openDataset } from '../data/open.js';
import { readRun } from '../evaluate/read-run.js';
import { readLabelFolder } from './label-folder.js';
import {
  type TaughtBatch,
  type Teacher,
  type TeacherContext,
  type TeacherScores,
  teacherKind,
} from './teacher.js';

/** Training files are JSON; every other file is a run. */
const TRAINING_FILE = /\.jsonl?(?:\.gz)?$/;

/** Scores that somebody gave beforehand, by training query and document. */
class StoredTeacher implements Teacher {
  readonly #scores: readonly ReadonlyMap<number, number>[];

  constructor(scores: readonly ReadonlyMap<number, number>[]) {
    this.#scores = scores;
  }

  async scores({ members, documents }: TaughtBatch): Promise<TeacherScores> {
    const scores = new Float32Array(members.length * documents.length);
    const known = new Float32Array(scores.length);
    members.forEach((member, row) => {
      const given = this.#scores[member];
      documents.forEach((document, column) => {
        const score = given.get(document);
        if (score === undefined) return;
        scores[row * documents.length + column] = score;
        known[row * documents.length + column] = 1;
      });
    });
    return { scores, known };
  }

  async close(): Promise<void> {}
}

export const storedKind = teacherKind({
  name: 'stored',
  description: 'scores in a file: a TREC run, a training file with scores, or what a stage has labelled',
  options: {
    file: text('a path').describe(
      'a TREC run or a training file (.jsonl) with scores of positives and negatives, from where the command runs, or stage:NAME of a stage that labels',
    ),
  },
  needsTrainingQueries: true,
  async require({ file }) {
    if (madeBy(file) !== undefined) return;
    await stat(file).catch((error) => {
      if (!hasCode(error, 'ENOENT')) throw error;
      throw new NearmissError(`${file}: no such file of teacher scores`, {
        hint: 'check teacher.file in the recipe; a relative path counts from where the command is given',
      });
    });
  },
  async open({ file: named }, context) {
    const file = await context.locate(named);
    const scores = await readScores(file, context);
    const lacking = requireUse(file, scores, context);
    if (lacking > 0) {
      const message = `${file}: ${lacking} of ${context.memberCount} training queries have no score of a positive and another document, and learn nothing from this teacher`;
      await context.warn(message);
    }
    return new StoredTeacher(scores);
  },
});

async function readScores(file: string, context: TeacherContext): Promise<Map<number, number>[]> {
  const byMember = Array.from({ length: context.memberCount }, () => new Map<number, number>());
  for await (const { queryId, documentId, score } of scoredPairs(file, context)) {
    const member = context.memberOf(queryId);
    if (member < 0) continue;
    const document = context.documentOf(documentId);
    const pair = `query ${JSON.stringify(queryId)}, document ${JSON.stringify(documentId)}`;
    if (document < 0) {
      throw new NearmissError(`${file}: ${pair}: the collection has no such document`, {
        hint: 'were the scores made on another collection?',
      });
    }
    if (!Number.isFinite(score)) {
      throw new NearmissError(`${file}: ${pair}: expected a finite score, got ${score}`, {
        hint: 'mend or remove that line',
      });
    }
    byMember[member].set(document, score);
  }
  return byMember;
}

async function* scoredPairs(
  file: string,
  { data, split, dataFingerprint }: TeacherContext,
): AsyncGenerator<{ queryId: string; documentId: string; score: number }> {
  if (!TRAINING_FILE.test(file)) {
    const isFolder = (await stat(file)).isDirectory();
    const { rankings } = isFolder ? await readLabelFolder(file, dataFingerprint) : await readRun(file);
    for (const [queryId, { ids, scores }] of rankings) {
      for (const [place, documentId] of ids.entries()) yield { queryId, documentId, score: scores[place] };
    }
    return;
  }
  const dataset = await openDataset(data, { examples: { [split]: file }, split });
  for await (const { queryId, positives, negatives } of dataset.examples!(split)) {
    for (const { id, score } of [...positives, ...negatives]) {
      if (score !== undefined) yield { queryId, documentId: id, score };
    }
  }
}

/**
 * A margin needs the positive's score as well as a negative's: a file without any such query teaches nothing.
 *
 * @returns how many queries have no such pair
 */
function requireUse(file: string, scores: readonly Map<number, number>[], context: TeacherContext): number {
  const taught = scores.filter((given, member) =>
    context.positives(member).some((document) => given.has(document) && given.size > 1),
  );
  if (taught.length > 0) return context.memberCount - taught.length;
  const some = scores.some(({ size }) => size > 0);
  throw new NearmissError(
    `${file}: no training query has scores of ${some ? 'a relevant and another document' : 'its documents'} here`,
    {
      hint: some
        ? 'a teacher scores the positives, too: search or label with them in the list'
        : 'were the scores made for another split or collection?',
    },
  );
}
