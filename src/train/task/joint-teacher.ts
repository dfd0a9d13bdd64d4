import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { clipFactor, globalNorm, type ParameterStore } from '../../engine/index.js';
import { nll } from '../../loss/index.js';
import { type CrossEncoderModel, fillCrossEncoderFolder, loadCrossEncoder } from '../../model/index.js';
import { recipeModel } from '../../run/best-model.js';
import { TEACHER_FOLDER } from '../../run/run-directory.js';
import { hasDropout } from '../model/trained-model.js';
import { learningRateOf } from '../stage-optimizer.js';
import { DirectStep } from '../step/direct-step.js';
import { pairScores } from '../step/pair-scores.js';
import type { MadeBatch } from './batch-maker.js';
import type { BatchTeacher } from './batch-teacher.js';
import { LearnedPart } from './learned-part.js';
import type { StageContext } from './task.js';

interface JointOptions {
  model: string;
  learningRate: number;
}

/**
 * RocketQA v2's cross-encoder (Ren et al. 2021): learns to put the positive first among a query's own documents, in the same
 * steps as the student, which learns its distribution over them as it is at the moment. No gradient of the student's
 * loss reaches it, as in the authors' code.
 */
export class JointTeacher implements BatchTeacher {
  readonly #context: StageContext;
  readonly #options: JointOptions;
  readonly #model: CrossEncoderModel;
  readonly #step: DirectStep;
  readonly #part: LearnedPart;
  readonly #gradients: ParameterStore;

  private constructor(
    context: StageContext,
    options: JointOptions,
    model: CrossEncoderModel,
    step: DirectStep,
  ) {
    this.#context = context;
    this.#options = options;
    this.#model = model;
    this.#step = step;
    this.#part = new LearnedPart('teacher', model.parameters, context.stage);
    this.#gradients = model.parameters.zerosLike();
  }

  static async open(this: void, options: JointOptions, context: StageContext): Promise<JointTeacher> {
    const { run, model: student, session } = context;
    const folder = await recipeModel(run, options.model);
    const model = await loadCrossEncoder(folder);
    if (!model.tokenizer.readsLike(student.reader.tokenizer)) {
      throw new NearmissError(`${folder}: expected the student's tokenizer, as both read the same batches`, {
        hint: 'train the cross-encoder from the same model, e.g. nearmiss train --recipe reranker --set model.init=…',
      });
    }
    const step = await DirectStep.create({
      scores: pairScores({ model, dropout: hasDropout(model.spec.config) }),
      losses: [{ loss: nll }],
      parameters: model.parameters,
      session,
    });
    return new JointTeacher(context, options, model, step);
  }

  get state(): LearnedPart['state'] {
    return this.#part.state;
  }

  /** One pass gives the scores that the student learns from, and the gradients that the teacher learns by. */
  async teach(batch: MadeBatch, { step, part }: { step: number; part: number }): Promise<MadeBatch> {
    const { recipe, stage } = this.#context;
    if (part === 0) this.#gradients.buffer.fill(0);
    const weight = 1 / stage.batch.accumulate;
    const { scores } = await this.#step.addGradients(batch, this.#gradients, {
      seed: recipe.seed,
      step,
      part,
      weight,
    });
    const known = new Float32Array(scores.length);
    const columns = batch.documentNumbers.length;
    batch.positives.forEach((positive, query) => {
      for (const document of [positive, ...batch.negatives[query]]) {
        const isOther = document !== positive && batch.known?.[query].includes(document);
        if (!isOther) known[query * columns + document] = 1;
      }
    });
    return { ...batch, teacher: { scores, known } };
  }

  async after(step: number): Promise<void> {
    const { stage } = this.#context;
    const { learningRate } = this.#options;
    const rate = learningRateOf({ ...stage, optimizer: { ...stage.optimizer, learningRate } })(step);
    const norm = globalNorm(this.#gradients);
    if (!Number.isFinite(norm)) {
      throw new NearmissError(`step ${step}: the gradient norm of the joint teacher is ${norm}`, {
        hint: `its learning rate (${learningRate}) is most likely too high: lower teacher.learningRate`,
      });
    }
    this.#part.update(step, this.#gradients, rate, clipFactor(norm, stage.optimizer.clip));
  }

  async fill(folder: string): Promise<void> {
    await fillCrossEncoderFolder(join(folder, TEACHER_FOLDER), this.#model, { onnx: false });
  }

  close(): Promise<void> {
    return this.#step.release();
  }
}
