import { createHash, randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { lifeOf, type ProcessIdentity, thisIdentity } from './lock/process-identity.js';

/** Names that start like this are unfinished work; readers ignore them and writers may delete them. */
export const PARTIAL_PREFIX = '.partial-';

/** What follows the name of a partial folder for the folder whose place it takes, while both have no name. */
const ASIDE = '.old';

/** `.partial-NAME-PLACE-PID-START-RANDOM`: the process that works on it, as far as its own machine can know it again. */
const OWNED = /^\.partial-(.+)-([0-9a-f]{8})-(\d+)-(\d+)-[0-9a-f]{8}(\.old)?$/;
/** Earlier versions said nothing of the owner. */
const UNOWNED = /^\.partial-(.+)-[0-9a-f]{8}$/;

/** A name beside a path that nobody else uses, and that says whose it is. */
export function partialPath(path: string): string {
  const { pid, started = '0', place } = us();
  const random = randomBytes(4).toString('hex');
  return join(dirname(path), `${PARTIAL_PREFIX}${basename(path)}-${place}-${pid}-${started}-${random}`);
}

/** Where what a partial folder replaces is put for the moment between two renames. */
export function asidePath(partial: string): string {
  return `${partial}${ASIDE}`;
}

/** What the name of unfinished work says. */
export interface PartialName {
  /** Of what is being made. */
  target: string;
  /** It was moved aside; the work that takes its place has this name without the ending. */
  successor?: string;
  /** What is known of the process that works on it. */
  owner: 'alive' | 'gone' | 'unknown';
}

/** Reads the name of a partial file or folder; undefined where it is not one of {@link partialPath}. */
export function parsePartial(name: string): PartialName | undefined {
  const owned = OWNED.exec(name);
  if (!owned) {
    const target = UNOWNED.exec(name)?.[1];
    return target === undefined ? undefined : { target, owner: 'unknown' };
  }
  const [, target, place, pid, started, aside] = owned;
  const here = us();
  const owner = place === here.place ? lifeOf({ ...here, pid: Number(pid), started }) : 'unknown';
  return { target, owner, ...(aside && { successor: name.slice(0, -ASIDE.length) }) };
}

interface Us extends ProcessIdentity {
  /** Of machine, boot and container, within which a process's number means one process. */
  place: string;
}

let known: Us | undefined;

function us(): Us {
  if (known) return known;
  const identity = thisIdentity();
  const { host, boot = '', pidNamespace = '' } = identity;
  const place = createHash('sha256').update(`${host}\n${boot}\n${pidNamespace}`).digest('hex').slice(0, 8);
  known = { ...identity, place };
  return known;
}
