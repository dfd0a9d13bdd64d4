import type { Command } from 'commander';

/**
 * Adds one command to the program. Heavy modules (the engine, tokenizers) are imported inside the
 * action, so that `nearmiss --help` answers at once.
 */
export type RegisterCommand = (program: Command) => void;
