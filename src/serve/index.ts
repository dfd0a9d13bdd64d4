export { addKey, readKeys, removeKey, type StoredKey } from './access/key-file.js';
export { KeyRing } from './access/key-ring.js';
export { RunCatalog } from './collections/run-catalog.js';
export { DEFAULT_LIMITS, type ServeLimits } from './limits.js';
export { DEFAULT_KEY_FILE, LOG_LEVELS, type LogLevel, ROLES, type Role } from './names.js';
export { type ServeTargetOptions, serveTarget } from './serve-target.js';
export { SearchServer, type ServerOptions } from './server.js';
export { targetState, type WatchedOptions, type WatchOptions, watchTarget } from './watch.js';
