import { Registry } from '../../base/registry.js';
import { encodeTask } from './encode-task.js';
import { generateTask } from './generate-task.js';
import { scoreTask } from './score-task.js';
import type { FleetTask } from './task.js';

/** What workers of a fleet can do; whoever asks has the other half of it. */
export const fleetTasks = new Registry<FleetTask>('task', [encodeTask, scoreTask, generateTask]);
