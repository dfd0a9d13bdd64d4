import { NearmissError } from '../base/errors.js';
import { writeSealedJsonFile } from '../base/json-file.js';
import { RunDirectory } from '../run/run-directory.js';
import { bestSoFar, type StepEvaluation } from '../run/step-evaluation.js';
import {
  adviceText,
  type DevOutcome,
  type MeasureRunOptions,
  measureOnDev,
  measureOnSplit,
  type SystemsTable,
} from '../systems/index.js';

const OUTCOME_FILE = 'outcome.json';

/** What came of a training, on dev queries and, where asked for, on those of a test split. */
export interface Conclusion extends DevOutcome {
  /** One sentence on what to use, and why where training has not helped. */
  advice: string;
  test?: SystemsTable;
}

/** As it is kept: with the model in `best/` and the checkpoints that there were then. */
interface KeptConclusion extends DevOutcome {
  checkpoint: StepEvaluation;
  measured: number[];
}

/** Measures a finished run's systems side by side; what was measured on dev queries before is not measured again. */
export async function concludeRun(
  path: string,
  { testSplit, ...options }: MeasureRunOptions & { testSplit?: string } = {},
): Promise<Conclusion> {
  const run = new RunDirectory(path, options);
  const checkpoint = await bestSoFar(run);
  if (!checkpoint) {
    throw new NearmissError(`${path}: nothing of this run has been measured yet`, {
      hint: `nearmiss train --out ${path} goes on with it`,
    });
  }
  const known = await run.readJson<KeptConclusion>(OUTCOME_FILE);
  let dev: DevOutcome;
  const measured = await run.steps('evaluations');
  if (known?.checkpoint.step === checkpoint.step && String(known.measured) === String(measured)) {
    const { checkpoint: _, measured: __, ...rest } = known;
    dev = rest;
  } else {
    dev = await measureOnDev(path, options);
    await writeSealedJsonFile(run.file(OUTCOME_FILE), { ...dev, checkpoint, measured });
  }
  const test = testSplit === undefined ? undefined : await measureOnSplit(path, testSplit, dev, options);
  return { ...dev, advice: adviceText(dev, path), ...(test && { test }) };
}
