/** Values of an SQL statement: they go beside it, never in it. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns what stands for it: `$1`, `$2` … */
  add(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }
}

/** A name as SQL has it, whatever signs are in it. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
