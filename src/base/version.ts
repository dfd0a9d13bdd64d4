import { createRequire } from 'node:module';

/** The program and its version as files record them, e.g. `nearmiss 0.1.0`. */
export const CREATED_BY: string = `nearmiss ${createRequire(import.meta.url)('../../package.json').version}`;
