import type { OptionsOf } from '../../base/registry.js';
import type { ParameterStore } from '../../engine/index.js';
import type { ExampleSource } from '../../examples/index.js';
import { losses as lossKinds } from '../../loss/index.js';
import { kindOptions } from '../../recipe/kind-options.js';
import type { retrievalTask } from '../../recipe/tasks/retrieval-task.js';
import { type PlannedStage, sourcesOf } from '../../run/plan.js';
import { StageSupplies } from '../mining/stage-supplies.js';
import { StageRows } from '../model/stage-rows.js';
import type { StageLoss } from '../step/objective.js';
import type { Step } from '../step/step.js';
import type { RetrievalBatch } from './batch.js';
import { BatchMaker, type MadeBatch } from './batch-maker.js';
import { type BatchTeacher, figuresOf, guided } from './batch-teacher.js';
import { LearnedPart } from './learned-part.js';
import { onlySource } from './only-source.js';
import { openExamples, openOrder } from './open-examples.js';
import { openBatchTeacher } from './open-teacher.js';
import type { StageContext, Task } from './task.js';

type RetrievalOptions = OptionsOf<(typeof retrievalTask)['options']>;

/** Learns to score a query's positive above its negatives. */
class RetrievalTask implements Task<RetrievalBatch> {
  readonly step: Step<RetrievalBatch>;
  readonly part: LearnedPart | undefined;
  readonly state: Readonly<Record<string, ParameterStore>>;
  #figures: Record<string, number> | undefined;
  readonly #stage: PlannedStage;
  readonly #parts: RetrievalParts;

  constructor(stage: PlannedStage, parts: RetrievalParts) {
    this.#stage = stage;
    this.#parts = parts;
    this.step = parts.step;
    this.part = parts.part;
    this.state = { ...parts.part?.state, ...parts.teacher?.state };
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
    const taught: MadeBatch[] = [];
    const { guideMargin } = this.#stage.batch;
    for (const [part, batch] of made.entries()) {
      const known = await teacher.teach(batch, { step, part });
      taught.push(guideMargin === undefined ? known : guided(known, guideMargin));
    }
    this.#figures = figuresOf(taught);
    return taught;
  }

  get figures(): Readonly<Record<string, number>> | undefined {
    return this.#figures;
  }

  async after(step: number): Promise<void> {
    await this.#parts.teacher?.after?.(step);
  }

  async fill(folder: string): Promise<void> {
    await this.#parts.teacher?.fill?.(folder);
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
  teacher: BatchTeacher | undefined;
  /** The layer on the vectors that is no part of the model. */
  part: LearnedPart | undefined;
  rows: StageRows;
}

/** Opens what a stage needs to learn to score relevant documents above others. */
export async function openRetrieval(options: RetrievalOptions, context: StageContext): Promise<Task> {
  return new RetrievalTask(context.stage, await openParts(options, context));
}

async function openParts(
  { projector = false }: RetrievalOptions,
  context: StageContext,
): Promise<RetrievalParts> {
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
  const layer = projector ? model.projector?.(recipe.seed) : undefined;
  const part = layer && new LearnedPart('projector', layer, stage);
  const step = await model.step({
    recipe,
    stage,
    losses,
    learns,
    frozen: rows.frozen,
    ...(layer && { projector: layer }),
    session,
  });
  return { examples, step, maker, supplies, teacher: await openBatchTeacher(context), part, rows };
}

/** A loss of a stage as its steps compute it. */
export function stageLoss(recipe: PlannedStage['losses'][number]): StageLoss {
  const kind = lossKinds.get(recipe.name);
  const { weight, temperature, negatives, teacher } = recipe;
  const loss = kind.create(kindOptions(kind, recipe));
  return { loss, weight, scale: 1 / temperature, negatives, ownTeacher: teacher !== undefined };
}
