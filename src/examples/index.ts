export {
  type Example,
  type ExampleSource,
  type ExamplesContext,
  type ExamplesKind,
  type ExampleText,
  examplesKind,
} from './example.js';
export { examples, orders } from './kinds.js';
export { fillClusterFolder } from './orders/cluster-folder.js';
export { type BatchOrder, type OrderContext, type OrderKind, orderKind } from './orders/order.js';
