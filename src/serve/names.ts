/** What an API key may be allowed: `read` searches; `write` also changes documents and reloads. */
export const ROLES = ['read', 'write'] as const;

export type Role = (typeof ROLES)[number];

export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Where keys are kept unless something else is said. */
export const DEFAULT_KEY_FILE = 'nearmiss-keys.json';
