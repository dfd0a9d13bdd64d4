import { NearmissError } from '../../base/errors.js';

/** No machine of an engine answered in the time that there was. */
export class EngineAway extends NearmissError {}
