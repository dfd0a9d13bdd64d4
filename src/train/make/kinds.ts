import { makers } from '../../recipe/axes.js';
import { mineKind } from './mine.js';

makers.register(mineKind);
