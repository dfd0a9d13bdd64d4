import { join } from 'node:path';
import { exists } from '../../base/files.js';
import { mean } from '../../base/numbers/mean.js';
import { type Ranking, type Run, readRun, writeRun } from '../../evaluate/index.js';
import { kendallTau } from '../../evaluate/kendall-tau.js';
import type { Recipe } from '../../recipe/recipe.js';
import { locateMade } from '../../run/made.js';
import type { RunDirectory } from '../../run/run-directory.js';

/** In the folder of a stage that labels: what its teacher gives to documents of dev queries. */
const FILE = 'teacher-dev.trec';

/** Keeps what a teacher gives to documents of dev queries, for {@link agreementWith}. */
export async function writeTeacherLists(folder: string, run: Run): Promise<void> {
  if (run.rankings.size > 0) await writeRun(join(folder, FILE), run);
}

/** The last teacher's lists that a run has by now. */
export async function readTeacherLists(run: RunDirectory, { stages }: Recipe): Promise<Run | undefined> {
  for (const { name, make } of stages.toReversed()) {
    if (!make) continue;
    const path = await locateMade(run, `stage:${name}/${FILE}`).catch(() => undefined);
    if (path !== undefined && (await exists(path))) return readRun(path);
  }
  return undefined;
}

/**
 * How much a student's rankings agree with a teacher on the teacher's lists: Kendall's τ, mean over the queries of which it
 * can be told. Documents that the student did not find are its last, all alike.
 */
export function agreementWith(teacher: Run, student: ReadonlyMap<string, Ranking>): number | undefined {
  const taus: number[] = [];
  for (const [query, { ids, scores }] of teacher.rankings) {
    const ranks = new Map(student.get(query)?.ids.map((id, rank) => [id, rank]));
    const places = ids.map((id) => -(ranks.get(id) ?? Number.MAX_SAFE_INTEGER));
    const tau = kendallTau(scores, places);
    if (Number.isFinite(tau)) taus.push(tau);
  }
  return taus.length === 0 ? undefined : mean(taus);
}
