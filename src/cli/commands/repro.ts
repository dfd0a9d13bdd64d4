import type { RegisterCommand } from '../command.js';
import { repeated, wholeNumber } from '../options/option-parsers.js';
import { registerLabels } from './repro/labels-command.js';
import { registerStudies } from './repro/studies.js';
import { type ReproOptions, showTable, tableCommand } from './repro/table-command.js';

interface TricksCommandOptions extends ReproOptions {
  teacher?: string;
  teacherSet?: string[];
  labelDepth?: number;
}

interface ChineseCommandOptions extends ReproOptions {
  init?: string;
}

const KEPT = `Every row starts from the same model and takes the same number of steps. Rows that are done are not trained again,
and a row that was interrupted goes on. With --recipes the table keeps the other rows that were done before with the
same settings. What a row does not need once it is measured is removed: moments, earlier checkpoints, other models' vectors.`;

const EXAMPLES = `
Examples:
  nearmiss repro table1 --data data/medquad --out runs/table1
  nearmiss repro table1 --data data/medquad --out runs/table1 --size small --recipes rand-neg,ance-firstp
  nearmiss repro table1 --data data/medquad --recipes rand-neg,dpr,ance-firstp --seeds 1,2,3

${KEPT} With --seeds rows are means over seeds, each in OUT/seed-N, and tests are on queries' means.
The table is also written to OUT/table1.md and OUT/table1.json.`;

const TRICKS_EXAMPLES = `
Examples:
  nearmiss repro tricks --data data/medquad --size small
  nearmiss repro tricks --data data/medquad --recipes star,star-adore
  nearmiss repro tricks --data data/medquad --teacher runs/reranker --recipes mined-neg,margin-mse,kl

${KEPT} Rows with a teacher have the same one: a cross-encoder that is trained first, in OUT/teacher, or the one that is
named. Its time is not part of theirs. The table is also written to OUT/tricks.md and OUT/tricks.json.`;

const CHINESE_EXAMPLES = `
Examples:
  nearmiss repro chinese --data data/zh-cmrc-drcd
  nearmiss repro chinese --data data/zh-cmrc-drcd --size quick --recipes in-batch,simcse,simcse-in-batch
  nearmiss repro chinese --data data/zh-cmrc-drcd --init models/bge-small-zh --out runs/chinese-bge

Rows start from a small BERT with random weights and a tokenizer trained on the collection, or from the model --init names. Rows
that go on from others train these first, once. Rows that are done are not trained again, and a row that was interrupted
goes on. The table is also written to OUT/chinese.md and OUT/chinese.json.`;

const LATE_EXAMPLES = `
Examples:
  nearmiss repro late --data data/medquad --recipes single,colbert --seeds 1,2,3
  nearmiss repro late --data data/medquad --recipes me-bert-1,me-bert-3,me-bert-8 --set model.maxLength.document=192
  nearmiss repro late --data data/scifact --size small

${KEPT} The table is also written to OUT/late.md and OUT/late.json.`;

export const registerRepro: RegisterCommand = (program) => {
  const repro = program
    .command('repro')
    .summary('reproduce experiments of the papers')
    .description('Reproduces experiments of the papers.')
    .addHelpText('after', EXAMPLES);
  tableCommand(repro, 'table1')
    .summary("all rows of the ANCE paper's Table 1")
    .description(
      "Trains every row of the ANCE paper's Table 1 with the same budget, and compares them on a test split.",
    )
    .addHelpText('after', EXAMPLES)
    .action(table1Command);
  tableCommand(repro, 'tricks')
    .summary('distillation, TAS-B, STAR, ADORE, RocketQA side by side')
    .description(
      'Trains recipes with teachers and better negatives, and what they are to be better than, with the same budget, and compares them on a test split.',
    )
    .option('--teacher <dir>', 'a trained cross-encoder: its run or folder (default: one is trained first)')
    .option('--teacher-set <path=value>', "change a value of the teacher's recipe (repeatable)", repeated)
    .option(
      '--label-depth <n>',
      'candidates of a query that the teacher scores beforehand (default: as the recipes have it, 30 or 50)',
      wholeNumber(1),
    )
    .addHelpText('after', TRICKS_EXAMPLES)
    .action(tricksCommand);
  tableCommand(repro, 'late')
    .summary('ColBERT, ME-BERT and Poly-encoder beside one vector a text')
    .description(
      'Trains models with several rows a text and those with one that they are to be better than, with the same budget, and compares them on a test split.',
    )
    .addHelpText('after', LATE_EXAMPLES)
    .action(lateCommand);
  tableCommand(repro, 'chinese')
    .summary('what SimCSE and hidden words are worth before labels, in Chinese')
    .description(
      'Trains a Chinese encoder with labels, with SimCSE, with hidden words and with all of them, and compares R@1 to R@50 on a test split.',
    )
    .option('--init <model>', 'start from this model folder, ONNX export or hub id (default: from scratch)')
    .addHelpText('after', CHINESE_EXAMPLES)
    .action(chineseCommand);
  registerStudies(repro);
  registerLabels(repro);
};

async function table1Command(options: ReproOptions): Promise<void> {
  const [{ reproduceTable }, { TABLE1 }] = await Promise.all([
    import('../../repro/table/table.js'),
    import('../../repro/table1/rows.js'),
  ]);
  await showTable('table1', options, (table) => reproduceTable({ ...table, table: TABLE1 }));
}

async function lateCommand(options: ReproOptions): Promise<void> {
  const [{ reproduceTable }, { LATE }] = await Promise.all([
    import('../../repro/table/table.js'),
    import('../../repro/late/rows.js'),
  ]);
  await showTable('late', options, (table) => reproduceTable({ ...table, table: LATE }));
}

async function tricksCommand(options: TricksCommandOptions): Promise<void> {
  const { reproduceTricks } = await import('../../repro/tricks/tricks.js');
  const { teacher, teacherSet, labelDepth } = options;
  await showTable('tricks', options, (table) =>
    reproduceTricks({ ...table, teacher, teacherSet, labelDepth }),
  );
}

async function chineseCommand(options: ChineseCommandOptions): Promise<void> {
  const [{ reproduceTable }, { CHINESE, fromModel }] = await Promise.all([
    import('../../repro/table/table.js'),
    import('../../repro/chinese/rows.js'),
  ]);
  const { init, set = [] } = options;
  const start = init === undefined ? [] : fromModel(init);
  await showTable('chinese', options, (table) =>
    reproduceTable({ ...table, set: [...start, ...set], table: CHINESE }),
  );
}
