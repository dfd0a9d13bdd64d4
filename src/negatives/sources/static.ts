import { stat } from 'node:fs/promises';
import { hasCode, NearmissError } from '../../base/errors.js';
import { madeBy } from '../../base/made-reference.js';
import { text } from '../../base/settings.js';
import { negativesKind } from '../kind.js';
import { checkRanked, type RankedOptions, rankedOptions } from '../ranked-options.js';
import { TableSource } from '../table-source.js';

export const staticKind = negativesKind({
  name: 'static',
  description: 'near the top of the rankings in a file',
  options: {
    ...rankedOptions,
    file: text('a path').describe(
      'a TREC run, a training file or a folder that `nearmiss mine` made, from where the command runs',
    ),
  },
  repeatable: true,
  check: checkRanked,
  require: requireFile,
  needsTrainingQueries: true,
  async open(options, context) {
    const { file, sampling } = options;
    const table = await context.fixedTable({
      source: 'static',
      options,
      index: file,
      what: `static negatives of ${file}`,
      async lists() {
        await requireFile(options);
        return context.fileLists(file);
      },
    });
    const source = new TableSource({ table, name: 'static', sampling });
    return { at: async () => source };
  },
});

async function requireFile(options: RankedOptions & { file: string }): Promise<void> {
  const { file, margin, relativeMargin } = options;
  if (madeBy(file) !== undefined) return;
  const info = await stat(file).catch((error) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    throw new NearmissError(`${file}: no such file or folder of static negatives`, {
      hint: "check file: in the recipe; a relative path counts from the folder where the run's command was given",
    });
  });
  if (!info.isDirectory() || (margin ?? relativeMargin) === undefined) return;
  const name = margin === undefined ? 'relativeMargin' : 'margin';
  throw new NearmissError(
    `${file}: a candidate table has no positives any more for ${name} to compare with`,
    { hint: `leave ${name} out, and give it to \`nearmiss mine\` when the table is made` },
  );
}
