import type { RegisterCommand } from '../command.js';

/** Every command, in the order `nearmiss --help` shows them. */
export const commands: RegisterCommand[] = [];
