import { PACKAGE } from './package-files.js';

/** The program and its version as files record them, e.g. `nearmiss 0.1.0`. */
export const CREATED_BY: string = `nearmiss ${PACKAGE.version}`;
