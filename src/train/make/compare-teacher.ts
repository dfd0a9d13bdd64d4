import { evaluate, inRankOrder, type Ranking, type Run } from '../../evaluate/index.js';
import { evaluationSet } from '../../run/training-data.js';
import type { TaughtTexts, Teacher } from '../../teacher/index.js';
import { trainedKinds } from '../model/kinds.js';
import { agreementWith } from '../refresh/teacher-lists.js';
import type { StageContext } from '../task/task.js';

/** Dev queries and documents of each that teacher and student both rank: enough to see who is ahead. */
const QUERIES = 100;
const DEPTH = 20;

export interface CompareTeacherOptions extends StageContext {
  /** The teacher's scores of a query's documents. */
  score: NonNullable<Teacher['pairs']>;
  texts: TaughtTexts;
  /** What the recipe says of the teacher, to know it again. */
  choice?: Record<string, unknown>;
}

/**
 * Lets the teacher rerank what the student finds for dev queries, and warns where that makes the order worse: who learns
 * from a worse teacher unlearns.
 *
 * @returns what the teacher gives to the documents that the student finds; none where the student finds nothing by itself
 */
export async function compareTeacher(options: CompareTeacherOptions): Promise<Run | undefined> {
  const { run, recipe, data, session, stage, events, score, texts, choice } = options;
  if (!trainedKinds.get(recipe.model.kind).indexes) return undefined;
  const { split, best } = recipe.evaluation;
  const dev = await evaluationSet(data, { split, limit: QUERIES, seed: recipe.seed });
  const checkpoint = await trainedKinds
    .get(recipe.model.kind)
    .openCheckpoint(stage.start, { run, recipe, data, session });
  const rankings = await checkpoint.rankings(dev.queries, DEPTH).finally(() => checkpoint.close());
  const reranked = new Map<string, Ranking>();
  for (const [queryId, { ids }] of rankings) {
    const query = texts.query(data.queries.cache.indexOf(queryId));
    const pairs = ids.map((id) => [query, texts.document(data.documents.cache.indexOf(id))] as const);
    const scores = Float64Array.from(await score(pairs));
    reranked.set(queryId, inRankOrder({ ids, scores }));
  }
  const measured = (found: ReadonlyMap<string, Ranking>): number =>
    evaluate({ tag: 'dev', rankings: found }, dev.qrels, [best], { complete: true }).mean[best];
  const [student, teacher] = [measured(rankings), measured(reranked)];
  const lists: Run = { tag: 'teacher', rankings: reranked };
  await events.write({
    type: 'teacher',
    step: stage.start,
    stage: stage.name,
    ...(choice && { choice }),
    measure: best,
    split,
    queries: dev.queries.length,
    teacher,
    student,
    agreement: agreementWith(lists, rankings),
  });
  const figures = `${best} ${teacher.toFixed(4)} on what the student finds for ${dev.queries.length} queries of ${split}, the student's own order ${student.toFixed(4)}`;
  await events.write({
    type: 'log',
    level: teacher > student ? 'info' : 'warning',
    message:
      teacher > student
        ? `teacher: ${figures}`
        : `the teacher is no better than the student: ${figures}; train it longer before anything is distilled from it`,
  });
  return lists;
}
