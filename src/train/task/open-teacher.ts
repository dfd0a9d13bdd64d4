import { readFile } from 'node:fs/promises';
import { hasCode } from '../../base/errors.js';
import { losses as lossKinds } from '../../loss/kinds.js';
import type { LossNeed } from '../../loss/loss.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { Choice } from '../../recipe/recipe.js';
import { recipeModel } from '../../run/best-model.js';
import { parseEvents } from '../../run/events.js';
import { locateMade } from '../../run/made.js';
import type { BatchNegatives, PlannedStage } from '../../run/plan.js';
import type { RunDirectory } from '../../run/run-directory.js';
import { placesOf } from '../../run/training-data.js';
import { type Teacher, type TeacherContext, type TeacherScores, teachers } from '../../teacher/index.js';
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
  const opened = new Map<number, BatchTeacher>();
  const ofStage = await openTeacher(context, {
    choice: stage.teacher,
    losses: stage.losses.filter(({ teacher }) => !teacher),
    guides: stage.batch.guideMargin !== undefined,
  });
  try {
    for (const [place, loss] of stage.losses.entries()) {
      if (!loss.teacher) continue;
      const own = await openTeacher(context, { choice: loss.teacher, losses: [loss], guides: false });
      if (own) opened.set(place, own);
    }
  } catch (error) {
    for (const teacher of [ofStage, ...opened.values()]) await teacher?.close();
    throw error;
  }
  return opened.size === 0 ? ofStage : new SeveralTeachers(ofStage, opened);
}

/** A teacher of a stage, and whom it teaches. */
interface Teaching {
  choice: Choice;
  losses: PlannedStage['losses'];
  /** Whether it also tells what does not count as a negative. */
  guides: boolean;
}

async function openTeacher(context: StageContext, teaching: Teaching): Promise<BatchTeacher | undefined> {
  const { choice } = teaching;
  const kind = teachers.get(choice.name);
  const options = kindOptions(kind, choice);
  const learning = OPEN[kind.name];
  if (learning) return learning(options as never, context);
  const teacher = await kind.open!(options, teacherContext(context));
  if (teacher?.pairs && isLearnedFrom(teaching) && !(await isCompared(context, choice))) {
    await compare(teacher.pairs.bind(teacher), context, choice);
  }
  return teacher && new AskedTeacher(teacher, teaching);
}

/** Whether a loss learns from the teacher; else it is a guide, which need not be ahead. */
function isLearnedFrom({ losses }: Teaching): boolean {
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

/**
 * Whether it was compared before this run was taken up again, or by an earlier stage that labelled with the same models; or
 * it cannot be done any more.
 */
async function isCompared({ run, plan, stage }: StageContext, choice: Choice): Promise<boolean> {
  const models = JSON.stringify(choice.models);
  const before = plan.stages.slice(0, stage.index);
  if (before.some(({ make }) => make?.name === 'label' && JSON.stringify(make.models) === models))
    return true;
  return !(await run.has('checkpoints', stage.start)) || (await hasTold(run, stage, choice));
}

/** Whether a run's events tell how a teacher of a stage compares with its student. */
async function hasTold(run: RunDirectory, { name, start }: PlannedStage, choice: Choice): Promise<boolean> {
  const told = await readFile(run.file('events', 'trainer.jsonl'), 'utf8').catch((error) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw error;
  });
  return parseEvents(told).some(
    (event) =>
      event.type === 'teacher' &&
      event.stage === name &&
      event.step === start &&
      JSON.stringify(event.choice) === JSON.stringify(choice),
  );
}

async function compare(
  score: NonNullable<Teacher['pairs']>,
  context: StageContext,
  choice: Choice,
): Promise<void> {
  const texts = await openTaughtTexts(context.data);
  await compareTeacher({ ...context, choice, score, texts }).finally(() => texts.close());
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
    modelFolder: (name: string) => recipeModel(run, name),
    dataFingerprint: data.tables.dataFingerprint,
    session,
    size: model.vectorSize,
    seed: recipe.seed,
    locate: (file: string) => locateMade(run, file),
    warn: (message: string) => events.write({ type: 'log', level: 'warning', message }),
  };
}

/** A teacher that knows already: asked for what its losses and the guide look at. */
class AskedTeacher implements BatchTeacher {
  readonly #teacher: Teacher;
  readonly #needs: ReadonlySet<LossNeed>;
  /** Whether every document of the batch is looked at, and not only each query's own. */
  readonly #whole: boolean;
  readonly #guides: boolean;

  constructor(teacher: Teacher, { losses, guides }: Teaching) {
    this.#teacher = teacher;
    this.#guides = guides;
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

/** The stage's teacher, and those of single losses by their place. */
class SeveralTeachers implements BatchTeacher {
  readonly #ofStage: BatchTeacher | undefined;
  readonly #ofLosses: ReadonlyMap<number, BatchTeacher>;

  constructor(ofStage: BatchTeacher | undefined, ofLosses: ReadonlyMap<number, BatchTeacher>) {
    this.#ofStage = ofStage;
    this.#ofLosses = ofLosses;
  }

  get state(): BatchTeacher['state'] {
    return this.#ofStage?.state;
  }

  async teach(batch: MadeBatch, at: { step: number; part: number }): Promise<MadeBatch> {
    const taught = (await this.#ofStage?.teach(batch, at)) ?? batch;
    const lossTeachers = new Map<number, TeacherScores>();
    for (const [place, teacher] of this.#ofLosses) {
      lossTeachers.set(place, (await teacher.teach(batch, at)).teacher!);
    }
    return { ...taught, lossTeachers };
  }

  async after(step: number): Promise<void> {
    await this.#ofStage?.after?.(step);
  }

  async fill(folder: string): Promise<void> {
    await this.#ofStage?.fill?.(folder);
  }

  async close(): Promise<void> {
    for (const teacher of [this.#ofStage, ...this.#ofLosses.values()]) await teacher?.close();
  }
}
