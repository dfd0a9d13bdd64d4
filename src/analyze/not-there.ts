import { NearmissError } from '../base/errors.js';

/** What was asked for does not exist: a query, a split, a checkpoint. Its message names no path, so that a server may show it. */
export class NotThereError extends NearmissError {}
