import { losses as lossKinds } from '../../loss/kinds.js';
import type { LossNeed } from '../../loss/loss.js';
import { kindOptions } from '../../recipe/kind-options.js';
import { bestModel } from '../../run/best-model.js';
import { locateMade } from '../../run/made.js';
import type { BatchNegatives, PlannedStage } from '../../run/plan.js';
import { placesOf } from '../../run/training-data.js';
import { type Teacher, type TeacherContext, teachers } from '../../teacher/index.js';
import { compareTeacher } from '../make/compare-teacher.js';
import type { MadeBatch } from './batch-maker.js';
import type { BatchTeacher } from './batch-teacher.js';
import { JointTeacher } from './joint-teacher.js';
import type { StageContext } from './task.js';
import { openTaughtTexts } from './taught-texts.js';

/** How teachers are opened that learn with the student; those that know already say it themselves. */
const OPEN: Record<string, (options: never, context: StageContext) => Promise<BatchTeacher>> = {
  joint: JointTeacher.open,
};

/** Whoever teaches in a stage; `undefined` where nobody does. */
export async function openBatchTeacher(context: StageContext): Promise<BatchTeacher | undefined> {
  const { stage } = context;
  const kind = teachers.get(stage.teacher.name);
  const options = kindOptions(kind, stage.teacher);
  const learning = OPEN[kind.name];
  if (learning) return learning(options as never, context);
  const teacher = await kind.open!(options, teacherContext(context));
  if (teacher?.pairs && isLearnedFrom(stage) && !(await isCompared(context))) {
    await compare(teacher.pairs.bind(teacher), context);
  }
  return teacher && new AskedTeacher(teacher, stage);
}

/** Whether a loss learns from the teacher; else it is a guide, which need not be ahead. */
function isLearnedFrom({ losses }: PlannedStage): boolean {
  return needsOf(losses).some(({ needs }) => needs.includes('teacher') || needs.includes('vectors'));
}

/** What each loss asks for, and what it looks at. */
function needsOf(
  losses: PlannedStage['losses'],
): { negatives: BatchNegatives | undefined; needs: readonly LossNeed[] }[] {
  return losses.map((recipe) => {
    const kind = lossKinds.get(recipe.name);
    return { negatives: recipe.negatives, needs: kind.create(kindOptions(kind, recipe)).needs ?? [] };
  });
}

/** Whether an earlier stage labelled with the same models, and so compared them; or it cannot be done any more. */
async function isCompared({ run, plan, stage }: StageContext): Promise<boolean> {
  const models = JSON.stringify(stage.teacher.models);
  const before = plan.stages.slice(0, stage.index);
  if (before.some(({ make }) => make?.name === 'label' && JSON.stringify(make.models) === models))
    return true;
  return !(await run.has('checkpoints', stage.start));
}

async function compare(score: NonNullable<Teacher['pairs']>, context: StageContext): Promise<void> {
  const texts = await openTaughtTexts(context.data);
  await compareTeacher({ ...context, score, texts }).finally(() => texts.close());
}

function teacherContext(context: StageContext): TeacherContext {
  const { run, data, description, recipe, session, model, events } = context;
  const placeOf = placesOf(data);
  return {
    dataset: data.dataset,
    data: description.data,
    split: description.split,
    memberOf: (id: string) => placeOf.get(data.queries.cache.indexOf(id)) ?? -1,
    documentOf: (id: string) => data.documents.cache.indexOf(id),
    positives: (member: number) => data.training[member].positives,
    memberCount: data.training.length,
    documentCount: data.documents.count,
    queryOf: (member: number) => data.training[member].query,
    texts: () => openTaughtTexts(data),
    modelFolder: async (path: string) => bestModel(await locateMade(run, path)),
    dataFingerprint: data.tables.dataFingerprint,
    session,
    size: model.vectorSize,
    seed: recipe.seed,
    locate: (file: string) => locateMade(run, file),
    warn: (message: string) => events.write({ type: 'log', level: 'warning', message }),
  };
}

/** A teacher that knows already: asked for what the stage's losses and its guide look at. */
class AskedTeacher implements BatchTeacher {
  readonly #teacher: Teacher;
  readonly #needs: ReadonlySet<LossNeed>;
  /** Whether every document of the batch is looked at, and not only each query's own. */
  readonly #whole: boolean;
  readonly #guides: boolean;

  constructor(teacher: Teacher, { losses, batch: { guideMargin } }: PlannedStage) {
    this.#teacher = teacher;
    this.#guides = guideMargin !== undefined;
    const needs = needsOf(losses);
    this.#needs = new Set(needs.flatMap((loss) => loss.needs));
    const looking = needs.filter((loss) => this.#guides || loss.needs.includes('teacher'));
    this.#whole = looking.some(({ negatives }) => negatives !== 'own');
  }

  async teach(batch: MadeBatch): Promise<MadeBatch> {
    const { members, documentNumbers: documents, positives, negatives, known } = batch;
    const wanted = (query: number, document: number): boolean =>
      positives[query] === document ||
      (this.#whole ? !known?.[query].includes(document) : negatives[query].includes(document));
    const taught: MadeBatch = { ...batch };
    if (this.#needs.has('vectors')) {
      taught.teacherVectors = await this.#teacher.vectors!({ members, documents });
    }
    if (this.#needs.has('teacher') || this.#guides) {
      taught.teacher = await this.#teacher.scores({ members, documents, wanted });
    }
    return taught;
  }

  close(): Promise<void> {
    return this.#teacher.close();
  }
}
