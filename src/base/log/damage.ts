import { NearmissError } from '../errors.js';

/** Something that was written once is not there any more, or not what it was. What to do about it is added later. */
export class DamagedLogError extends NearmissError {
  readonly path: string;
  readonly reason: string;

  constructor(path: string, reason: string, options: { hint?: string } = {}) {
    super(`${path}: ${reason}`, options);
    this.path = path;
    this.reason = reason;
  }
}

export function damagedAt(path: string, offset: number, what: string): DamagedLogError {
  return new DamagedLogError(path, `byte ${offset}: ${what}`);
}
