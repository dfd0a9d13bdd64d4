import type { ExampleSource } from '../../examples/index.js';
import { losses as lossKinds } from '../../loss/index.js';
import { kindOptions } from '../../recipe/kind-options.js';
import { bestModel } from '../../run/best-model.js';
import { locateMade } from '../../run/made.js';
import { type PlannedStage, sourcesOf } from '../../run/plan.js';
import { placesOf } from '../../run/training-data.js';
import { type Teacher, teachers } from '../../teacher/index.js';
import { StageSupplies } from '../mining/stage-supplies.js';
import { StageRows } from '../model/stage-rows.js';
import type { StageLoss } from '../step/objective.js';
import type { Step } from '../step/step.js';
import type { RetrievalBatch } from './batch.js';
import { BatchMaker, type MadeBatch } from './batch-maker.js';
import { onlySource } from './only-source.js';
import { openExamples, openOrder } from './open-examples.js';
import type { StageContext, Task } from './task.js';
import { openTaughtTexts } from './taught-texts.js';

/** Learns to score a query's positive above its negatives. */
class RetrievalTask implements Task<RetrievalBatch> {
  readonly step: Step<RetrievalBatch>;
  readonly state = {};
  readonly #stage: PlannedStage;
  readonly #parts: RetrievalParts;

  constructor(stage: PlannedStage, parts: RetrievalParts) {
    this.#stage = stage;
    this.#parts = parts;
    this.step = parts.step;
  }

  get negativesVersion(): number | undefined {
    return this.#parts.supplies.version;
  }

  async batches(step: number): Promise<MadeBatch[] | undefined> {
    const { maker, supplies, rows, teacher } = this.#parts;
    const made = await maker.at(step, ({ members, queries }) =>
      supplies.at(step, { members, queryRows: () => rows.of('queries', queries) }),
    );
    if (!made || !teacher) return made;
    const whole = pupils(this.#stage).some(({ negatives }) => negatives !== 'own');
    return Promise.all(made.map((batch) => taught(batch, teacher, whole)));
  }

  bySource(batches: readonly RetrievalBatch[]): { source: string; batches: RetrievalBatch[] }[] | undefined {
    const names = sourcesOf(this.#stage);
    if (names.length < 2) return undefined;
    const parts = names.map((source) => ({
      source,
      // A source that some of the accumulated batches lack has no loss there.
      batches: (batches as readonly MadeBatch[]).flatMap((batch) => onlySource(batch, source) ?? []),
    }));
    const complete = parts.filter((part) => part.batches.length === batches.length);
    return complete.length < 2 ? undefined : complete;
  }

  async close(): Promise<void> {
    const { step, teacher, rows, examples } = this.#parts;
    await step.release();
    await examples.close?.();
    await teacher?.close();
    await rows.close();
  }
}

interface RetrievalParts {
  examples: ExampleSource;
  step: Step<RetrievalBatch>;
  maker: BatchMaker;
  supplies: StageSupplies;
  teacher: Teacher | undefined;
  rows: StageRows;
}

/** Opens what a stage needs to learn to score relevant documents above others. */
export async function openRetrieval(_: object, context: StageContext): Promise<Task> {
  return new RetrievalTask(context.stage, await openParts(context));
}

async function openParts(context: StageContext): Promise<RetrievalParts> {
  const { recipe, stage, data, model, session, learns } = context;
  const rows = await StageRows.open(context);
  const examples = await openExamples(context);
  const { accumulate, documentTokens } = stage.batch;
  const order = await openOrder(context, examples.count);
  const maker = new BatchMaker({
    data,
    examples,
    order,
    seed: recipe.seed,
    start: stage.start,
    accumulate,
    pieces: recipe.model.passages.mode === 'max',
    ...(documentTokens !== undefined && { documentTokens }),
    rows,
  });
  const supplies = await StageSupplies.open(context, { examples, rows });
  const losses = stage.losses.map(stageLoss);
  const step = await model.step({
    recipe,
    stage,
    losses,
    learns,
    frozen: rows.frozen,
    session,
  });
  return { examples, step, maker, supplies, teacher: await openTeacher(context), rows };
}

function stageLoss(recipe: PlannedStage['losses'][number]): StageLoss {
  const kind = lossKinds.get(recipe.name);
  const { weight, temperature, negatives } = recipe;
  return { loss: kind.create(kindOptions(kind, recipe)), weight, scale: 1 / temperature, negatives };
}

function openTeacher({ run, stage, data, description, session }: StageContext): Promise<Teacher | undefined> {
  const kind = teachers.get(stage.teacher.name);
  const placeOf = placesOf(data);
  return kind.open(kindOptions(kind, stage.teacher), {
    dataset: data.dataset,
    data: description.data,
    split: description.split,
    memberOf: (id) => placeOf.get(data.queries.cache.indexOf(id)) ?? -1,
    documentOf: (id) => data.documents.cache.indexOf(id),
    positives: (member) => data.training[member].positives,
    memberCount: data.training.length,
    queryOf: (member) => data.training[member].query,
    texts: () => openTaughtTexts(data),
    modelFolder: bestModel,
    dataFingerprint: data.tables.dataFingerprint,
    session,
    locate: (file) => locateMade(run, file),
  });
}

/** The losses of a stage that learn from a teacher. */
function pupils({ losses }: PlannedStage): PlannedStage['losses'] {
  return losses.filter((recipe) => stageLoss(recipe).loss.needs?.includes('teacher'));
}

/** @param whole whether losses look at every document of the batch, and not only at each query's own */
async function taught(batch: MadeBatch, teacher: Teacher, whole: boolean): Promise<MadeBatch> {
  const { members, documentNumbers: documents, positives, negatives, known } = batch;
  const wanted = (query: number, document: number): boolean =>
    positives[query] === document ||
    (whole ? !known?.[query].includes(document) : negatives[query].includes(document));
  return { ...batch, teacher: await teacher.scores({ members, documents, wanted }) };
}
