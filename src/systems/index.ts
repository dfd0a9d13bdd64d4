export { type MeasureCollectionOptions, measureCollection } from './measure-collection.js';
export { type DevOutcome, type MeasureRunOptions, measureOnDev, measureOnSplit } from './measure-run.js';
export { adviceText, systemsTable, useText } from './outcome-text.js';
export type { Verdict } from './recommend.js';
export { SYSTEMS, type SystemName, type SystemRow, type SystemsTable } from './system.js';
