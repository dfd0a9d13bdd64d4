import {
  type BatchOrder,
  type ExampleSource,
  examples as exampleKinds,
  orders,
} from '../../examples/index.js';
import { kindOptions } from '../../recipe/kind-options.js';
import { locateMade } from '../../run/made.js';
import type { StageContext } from './task.js';

/** Opens what a stage learns from. */
export function openExamples({ run, stage, data, recipe }: StageContext): Promise<ExampleSource> {
  const kind = exampleKinds.get(stage.examples.name);
  return kind.open(kindOptions(kind, stage.examples), {
    dataset: data.dataset,
    training: data.training,
    documentCount: data.documents.count,
    seed: recipe.seed,
    dataFingerprint: data.tables.dataFingerprint,
    locate: (file) => locateMade(run, file),
    tokenize: data.tokenize,
    documents: async (numbers) => (await data.documents.texts(numbers)).texts,
  });
}

/** Opens the order in which a stage's examples come. */
export async function openOrder({ run, stage, recipe }: StageContext, count: number): Promise<BatchOrder> {
  const { queries, accumulate, order } = stage.batch;
  const kind = orders.get(order.name);
  return kind.open(kindOptions(kind, order), {
    count,
    queries,
    accumulate,
    seed: recipe.seed,
    stage: stage.index,
    locate: (file) => locateMade(run, file),
  });
}
