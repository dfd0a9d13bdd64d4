import type { ExportGraph } from './export-graph.js';
import type { Norm } from './operation.js';

/** What sentence-transformers, Transformers.js and nearmiss call the pooled vector of an export. */
const POOLED = 'sentence_embedding';

const FIRST_TYPES = ['Gather', 'Slice'];
const MEAN_TYPES = ['ReduceMean', 'ReduceSum', 'Mul', 'MatMul'];

/** How an export that goes on to one vector a text gets there from the states; nothing where it does not, or otherwise. */
export function findPooling(graph: ExportGraph, states: Norm): 'first' | 'mean' | undefined {
  if (!graph.model.outputs.includes(POOLED)) return undefined;
  const types = [...graph.leadingTo(POOLED)]
    .filter(({ inputs }) => inputs.some((input) => graph.operation(input) === states))
    .map(({ type }) => type);
  if (types.some((type) => FIRST_TYPES.includes(type))) return 'first';
  return types.some((type) => MEAN_TYPES.includes(type)) ? 'mean' : undefined;
}
