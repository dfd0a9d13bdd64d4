export { type AdaptOptions, type AdaptOutcome, adapt } from './adapt.js';
export type { Mix } from './choose-mix.js';
export type { Prepared } from './prepare.js';
export type { AdaptVerdict, Judged, KindOutcome } from './verdict.js';
