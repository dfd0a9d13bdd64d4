/**
 * What the addresses of the collection at hand begin with: a server may have several, the first at its root and the others
 * below `/collections/NAME`. To another one the browser goes by loading its page.
 */
export const BASE = /^\/collections\/[^/]+/.exec(location.pathname)?.[0] ?? '';
