import { NearmissError, shorten } from '../../../base/errors.js';

/** Conditions that may pass, or that another machine does not have: by class, or whole. */
const PASSING_CLASSES = ['08', '40'];
const PASSING = [
  // Out of memory, too many connections, stopping, starting, too slow; only reading is possible there.
  ...['53200', '53300', '57P01', '57P02', '57P03', '57P05', '57014', '25006'],
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'ETIMEDOUT',
    'EPIPE',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ],
];
const PASSING_MESSAGES = /terminated|timeout exceeded|not queryable|does not answer in time/;

/** SQLSTATE of what is not there. */
export const NO_TABLE = '42P01';
/** Another session has made the same thing at the same time. */
export const MADE_MEANWHILE = ['23505', '42P07', '42710'];

const HINTS: Record<string, string> = {
  '28000': 'give the user in the address and the password in PGPASSWORD or ~/.pgpass',
  '28P01': 'give the user in the address and the password in PGPASSWORD or ~/.pgpass',
  '3D000': 'create it (createdb), or correct the address: postgres://USER@HOST:PORT/DATABASE/NAME',
  '42501':
    'let the owner grant it: to push, create on the schema (grant create on schema public to …); to search, select on its tables',
  '53100': "the server's disk is full: make room, and repeat the command",
  '54000': 'see the limits in docs/engines.md',
};
/** Errors that come without a code, or with one of Node.js. */
const OTHER_HINTS: [RegExp, string][] = [
  [/password must be a string/, HINTS['28P01']],
  [/does not support SSL/, 'leave out sslmode, or let the server have a certificate'],
  [
    /certificate|CERT|altname/i,
    'certificates are checked: name that of your authority in NODE_EXTRA_CA_CERTS',
  ],
];

export function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}

/** Whether asking again may help. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof NearmissError) return false;
  if (error instanceof AggregateError) return error.errors.every(mayPass);
  const code = codeOf(error);
  return (
    PASSING.includes(code) ||
    PASSING_CLASSES.some((class_) => code.length === 5 && code.startsWith(class_)) ||
    PASSING_MESSAGES.test(error.message)
  );
}

/** What PostgreSQL refuses, as a person needs it. */
export function refusal(error: unknown, host: string): NearmissError {
  if (error instanceof NearmissError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const hint = HINTS[codeOf(error)] ?? OTHER_HINTS.find(([pattern]) => pattern.test(message))?.[1];
  return new NearmissError(`PostgreSQL at ${host}: ${shorten(message, 300)}`, { hint, cause: error });
}
