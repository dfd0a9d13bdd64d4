import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Known answers that other programs computed; `test/oracles/README.md` says what each holds. */
export const ORACLES = ['bert-step', 'dl19', 'minilm', 'trec_eval', 'tricks'] as const;
export type OracleName = (typeof ORACLES)[number];

const OWN = resolve(import.meta.dirname, 'oracles');

/** An oracle's folder: the project's own, or that of the same name in `NEARMISS_ORACLES` where it has one. */
export function oracleFolder(name: OracleName): string {
  const { NEARMISS_ORACLES } = process.env;
  if (!NEARMISS_ORACLES) return join(OWN, name);
  const others = ORACLES.filter((other) => existsSync(join(NEARMISS_ORACLES, other)));
  // Checking against the project's own instead would pass, and prove nothing.
  if (others.length === 0) {
    throw new Error(
      `NEARMISS_ORACLES: expected a folder with ${ORACLES.join(', ')} or some of them, got ${NEARMISS_ORACLES}`,
    );
  }
  return others.includes(name) ? resolve(NEARMISS_ORACLES, name) : join(OWN, name);
}

/** A file of an oracle, plain or compressed. */
export function oracleFile(name: OracleName, file: string): string {
  const path = join(oracleFolder(name), file);
  return !existsSync(path) && existsSync(`${path}.gz`) ? `${path}.gz` : path;
}

/** What a JSON file of an oracle holds. */
export function readOracle<T>(name: OracleName, file: string): T {
  return JSON.parse(readFileSync(oracleFile(name, file), 'utf8'));
}
