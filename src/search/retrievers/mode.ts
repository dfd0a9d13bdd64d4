import type { ComputingParts } from '../open/computing-parts.js';
import type { Opening } from '../open/opening.js';
import type { Target } from '../open/target.js';
import type { OpenMode } from './open-mode.js';
import type { SearchMode } from './retriever.js';

/** What must be there for a mode, and how to come by it. */
export interface ModeNeeds {
  /** E.g. `a model`. */
  what: string;
  /** What gives it on the command line. */
  flags: readonly string[];
  /** A run has it by itself. */
  ofRuns?: boolean;
}

/** What a mode may start with. */
export interface ModeStart {
  path: string;
  target: Target;
  computing: ComputingParts;
}

/**
 * A way to search. Each is a file of this folder and a line in modes.ts; command line, HTTP and library know it from
 * there. A mode's own imports are few, because commands know all modes before they know which is wanted: what it needs
 * beyond them is imported when it is opened.
 */
export interface Mode {
  readonly name: SearchMode;
  readonly needs: ModeNeeds;
  /** The modes whose hits it puts together; they are opened before it. */
  readonly components?: readonly SearchMode[];
  /** It puts the hits of another mode in a better order: of the one that is asked for, else of the default. */
  readonly reranks?: boolean;
  /** Starts what takes long before anything is imported; refuses a target that cannot be opened. */
  start?(start: ModeStart): void;
  /** Undefined where something that it needs is missing. */
  open(opening: Opening): Promise<OpenMode | undefined>;
}
