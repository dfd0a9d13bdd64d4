import { type Command, Option } from 'commander';
import { UsageError } from '../../base/errors.js';
import type { EncodeFileOptions } from '../encode-file.js';
import { addFleetOptions, fleetOf } from '../fleet/fleet-options.js';

import { list, repeated, wholeNumber } from '../options/option-parsers.js';
import { precisionOption } from '../options/precision-option.js';
import { providerOption } from '../options/provider-option.js';
import { TEXT_FORMATS } from '../options/text-formats.js';
import { print, printJson, tell } from '../output.js';

interface EncodeFlags extends Omit<EncodeFileOptions, 'use' | 'fields' | 'log'> {
  use?: EncodeFileOptions['use'];
  idField?: string;
  textField?: string[];
  titleField?: string;
  lineIds?: boolean;
  json?: boolean;
}

const EXAMPLES = `
INPUT is a dataset's folder (its documents, or with --queries its queries), JSON lines, a table, plain lines, or - for
standard input. Documents are encoded as title and text. Row i of the output belongs to line i of the ids, which are
written beside it: vectors.npy gets vectors.ids.txt, and vectors.made.json, which says what made them. All appear when everything is
encoded, or not at all.

The model is "minilm" (all-MiniLM-L6-v2, which comes with nearmiss), a Hugging Face or sentence-transformers folder, an
ONNX export of a BERT (or the folder it is in), or a hub id. Its own pooling, normalisation, prompts and length are used unless told otherwise.

Examples:
  nearmiss encode data/scifact --model minilm --output scifact.npy
  nearmiss encode data/scifact --queries --split test --model runs/scifact/best --output queries.npy
  nearmiss encode docs.jsonl --id-field docid --text-field body --model minilm --output docs.f16
  zcat lines.txt.gz | nearmiss encode - --format text --model minilm --output lines.npy --dtype f16 --json
  nearmiss encode data/scifact --model models/gte-small/onnx/model.onnx --output scifact.npy
  nearmiss encode data/scifact --model minilm --output scifact.npy --precision auto
  nearmiss encode notes.txt --model intfloat/e5-small-v2 --use query --output notes.npy

In Python: numpy.load('scifact.npy', mmap_mode='r'); bare rows: numpy.fromfile('docs.f16', '<f2').reshape(-1, 384)`;

export function registerEncode(program: Command): void {
  const encode = program
    .command('encode')
    .summary('turn texts into vectors')
    .description('Encodes texts with a model and writes their vectors and ids.')
    .argument('<input>', 'a dataset folder, a file, or - for standard input')
    .requiredOption('--model <name>', 'minilm, a folder, an ONNX export, or a hub id')
    .requiredOption('--output <file>', 'X.npy, or bare rows as X.f32 or X.f16')
    .addOption(new Option('--dtype <type>', 'numbers in a .npy file (default: f32)').choices(['f32', 'f16']))
    .addOption(
      new Option('--format <name>', 'format of the input').choices([...TEXT_FORMATS]).default('auto'),
    )
    .option('--id-field <name>', 'field or column that holds the id')
    .option('--text-field <name>', 'field that holds the text (repeatable: joined)', repeated)
    .option('--title-field <name>', 'field that holds the title')
    .option('--line-ids', 'records have no id: use the number of the line')
    .option('--columns <names>', 'names of the columns, comma separated, for tables without a header', list)
    .option('--queries', 'encode queries instead of documents')
    .option('--split <name>', 'with --queries: only those of a split, e.g. test')
    .addOption(
      new Option('--use <which>', "which of the model's prompts (default: by --queries)").choices([
        'query',
        'document',
      ]),
    )
    .option('--max-length <tokens>', "tokens kept of each text (default: the model's)", wholeNumber(3))
    .option('--layers <n>', 'use only the first n layers', wholeNumber(1))
    .option('--threads <n>', 'threads (default: all cores)', wholeNumber(1))
    .addOption(providerOption())
    .addOption(precisionOption())
    .option('--token-budget <n>', 'padded tokens encoded at once', wholeNumber(1))
    .option('--shard-size <n>', 'with --queue: texts that a worker takes at once', wholeNumber(1), 1024)
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print a summary as JSON')
    .addHelpText('after', EXAMPLES)
    .action(encodeAction);
  addFleetOptions(encode, 'encode');
}

async function encodeAction(input: string, flags: EncodeFlags): Promise<void> {
  if (flags.split !== undefined && !flags.queries) {
    throw new UsageError('--split chooses queries: expected --queries with it', {
      hint: 'documents belong to no split',
    });
  }
  fleetOf(flags, flags);
  const { storageType } = await import('../../model/tensors/vector-file.js');
  // Before the model is loaded.
  storageType(flags.output, flags.dtype);
  const { encodeFile } = await import('../encode-file.js');
  const { count } = await import('../../base/progress.js');
  const summary = await encodeFile(input, {
    ...flags,
    use: flags.use ?? (flags.queries ? 'query' : 'document'),
    fields: { id: flags.idField, text: flags.textField, title: flags.titleField, lineIds: flags.lineIds },
    log: flags.quiet ? undefined : (line) => tell(`${line}\n`),
  });
  if (flags.json) printJson(summary);
  else {
    print(
      `${summary.output}: ${summary.vectors === summary.texts ? '' : `${count(summary.texts)} texts, `}${count(summary.vectors)} vectors of ${summary.dimension} (${summary.dtype}), ` +
        (summary.tokens === undefined
          ? `encoded by workers in ${summary.seconds} s`
          : `${count(summary.tokens)} tokens at ${count(summary.tokensPerSecond!)}/s`) +
        `; ids in ${summary.ids}\n`,
    );
  }
}
