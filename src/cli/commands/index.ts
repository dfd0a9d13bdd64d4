import type { RegisterCommand } from '../command.js';
import { registerAnalyze } from './analyze.js';
import { registerBm25 } from './bm25.js';
import { registerCompare } from './compare.js';
import { registerCompletion } from './completion.js';
import { registerData } from './data.js';
import { registerDemo } from './demo.js';
import { registerDoctor } from './doctor.js';
import { registerEncode } from './encode.js';
import { registerEval } from './eval.js';
import { registerExport } from './export.js';
import { registerFuse } from './fuse.js';
import { registerExpand } from './generate/expand.js';
import { registerGenerate } from './generate/generate.js';
import { registerLabel } from './label.js';
import { registerMerge } from './merge.js';
import { registerMine } from './mine.js';
import { registerReport } from './report.js';
import { registerRepro } from './repro.js';
import { registerRerank } from './rerank.js';
import { registerAdapt } from './runs/adapt.js';
import { registerClean } from './runs/clean.js';
import { registerRecipes } from './runs/recipes.js';
import { registerFleet } from './scale/fleet.js';
import { registerPlan } from './scale/plan.js';
import { registerPush } from './scale/push.js';
import { registerSearch } from './search.js';
import { registerServe } from './serve.js';
import { registerInferencer, registerTrain, registerTrainer } from './train.js';
import { registerTune } from './tune.js';
import { registerIndex } from './vectors/index-vectors.js';
import { registerVerify } from './verify.js';

/** Commands that are shown together. */
export interface CommandGroup {
  heading: string;
  commands: RegisterCommand[];
}

/** Every command, in the order `nearmiss --help` shows them. */
export const commandGroups: CommandGroup[] = [
  { heading: 'Start here:', commands: [registerDemo, registerDoctor] },
  { heading: 'Data:', commands: [registerData] },
  {
    heading: 'Train:',
    commands: [
      registerTrain,
      registerAdapt,
      registerRecipes,
      registerTrainer,
      registerInferencer,
      registerTune,
      registerMine,
      registerLabel,
      registerGenerate,
      registerMerge,
      registerExport,
    ],
  },
  { heading: 'Search:', commands: [registerSearch, registerServe, registerPush, registerRerank] },
  { heading: 'Measure:', commands: [registerEval, registerCompare, registerFuse] },
  {
    heading: 'Look inside:',
    commands: [registerAnalyze, registerReport, registerRepro, registerVerify, registerClean],
  },
  {
    heading: 'Parts:',
    commands: [registerBm25, registerExpand, registerEncode, registerIndex, registerFleet, registerPlan],
  },
  { heading: 'Shell:', commands: [registerCompletion] },
];
