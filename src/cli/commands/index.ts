import type { RegisterCommand } from '../command.js';
import { registerCompare } from './compare.js';
import { registerEval } from './eval.js';
import { registerFuse } from './fuse.js';

/** Every command, in the order `nearmiss --help` shows them. */
export const commands: RegisterCommand[] = [registerEval, registerCompare, registerFuse];
