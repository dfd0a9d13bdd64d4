import { type Command, Option } from 'commander';
import { secondsSince } from '../../../base/numbers/seconds-since.js';
import type { VectorIndexMetadata } from '../../../index/vectors/index.js';
import { addFleetOptions } from '../../fleet/fleet-options.js';
import { wholeNumber } from '../../options/option-parsers.js';
import { print, printJson } from '../../output.js';
import { BITS, checkFlags, type IndexFlags } from './index-flags.js';

const EXAMPLES = `
VECTORS is what "nearmiss encode" writes: X.npy, or bare rows X.f32 or X.f16 with --dimension; or the folder of a collection, which --model
encodes first, with --queue on the workers of a fleet. Ids are read from
X.ids.txt where it is there; neighbouring rows with the same id are the vectors of one document, which is then found by
its best one (MaxP). Scores are inner products: cosines if the model normalises its vectors.

Types:
  flat    exact; compares every vector. Built in one pass, however many there are. Storage f32 or f16.
  hnsw    approximate; a graph, faster for single queries and for millions of vectors. Built in memory, slowly.
          Storage f32, f16 or i8.
          With several threads the graph differs a little from build to build; --threads 1 makes it repeatable.
  int8    approximate; 8 bits a number in memory. The best by these are compared again as whole vectors, which stay on
          disk (--storage f32 or f16). Built in a few passes, however many vectors there are. More than 131,072 are put
          into lists of near ones, and a search looks into --probes of them.
  binary  the same with 1 bit a number.
  tokens  for late interaction (ColBERT): the rows of a document are compared one by one with those of a query. Compressed to
          --bits 1, 2 or 4 a number (20, 36 or 68 bytes a token of 128 numbers), or kept as they are: --bits exact.

A Poly-encoder's documents have one vector each, but its queries several: --scorer poly makes a flat index that compares them so.

--dimensions keeps the first numbers of each vector, of models trained so that these say most (loss: matryoshka). int8 and
binary make codes of them and compare the best as whole vectors.

An index that has ids, but no graph, can be changed: --append puts the documents of VECTORS behind those that are there, --delete takes
VECTORS for a file of ids, one a line, whose documents go. With both flags documents are replaced: their ids are those of VECTORS. The
changed index takes the old one's place when it is whole.

Examples:
  nearmiss index scifact.npy indexes/scifact
  nearmiss index data/scifact indexes/scifact --model minilm
  nearmiss index data/big indexes/big --model minilm --type int8 --queue redis://queue:6379 --store /shared/fleet
  nearmiss index msmarco.npy indexes/msmarco --type hnsw --storage f16
  nearmiss index msmarco.npy indexes/msmarco --type binary --storage f16
  nearmiss index scifact.npy indexes/scifact --dimensions 64
  nearmiss index docs.f16 indexes/docs --dimension 384 --storage f16 --model minilm
  nearmiss index tokens.npy indexes/colbert --type tokens --bits 2 --model runs/colbert/best
  nearmiss index poly.npy indexes/poly --scorer poly --model runs/poly-encoder/best
  nearmiss index more.npy indexes/colbert --append
  nearmiss index gone.txt indexes/colbert --delete
  nearmiss index scifact.npy indexes/scifact --type hnsw --connectivity 32 --ef-construction 256 --overwrite --json`;

export function registerIndex(program: Command): void {
  const index = program
    .command('index')
    .summary('make vectors searchable')
    .description(
      'Builds a vector index from a file of vectors, or from a collection, which is encoded first.',
    )
    .argument(
      '<vectors>',
      'X.npy, X.f32 or X.f16, or the folder of a collection; with --delete alone a file of ids',
    )
    .argument('<out>', 'folder to make')
    .addOption(
      new Option('--type <type>', 'kind of index')
        .choices(['flat', 'hnsw', 'int8', 'binary', 'tokens'])
        .default('flat'),
    )
    .addOption(
      new Option('--storage <type>', 'how components are kept').choices(['f32', 'f16', 'i8']).default('f32'),
    )
    .option('--connectivity <M>', 'hnsw: neighbours of a vector (default: 16)', wholeNumber(2))
    .option('--ef-construction <n>', 'hnsw: candidates looked at for them (default: 128)', wholeNumber(1))
    .addOption(
      new Option('--bits <n>', 'tokens: bits kept of each number; without, 4').choices(Object.keys(BITS)),
    )
    .addOption(
      new Option('--scorer <name>', 'flat: compares the rows of queries as a Poly-encoder does').choices([
        'poly',
      ]),
    )
    .option('--append', 'add to the index that is there')
    .option('--delete', 'remove documents from the index that is there')
    .option('--threads <n>', 'threads of building it, but for flat (default: all cores)', wholeNumber(1))
    .option('--dimensions <n>', 'keep the first n numbers of each vector (default: all)', wholeNumber(1))
    .option(
      '--lists <n>',
      'int8, binary: lists of near vectors (default: 1, then about √count)',
      wholeNumber(1),
    )
    .option(
      '--probes <n>',
      'int8, binary: lists a search looks into (default: 1 in 10, and 8)',
      wholeNumber(1),
    )
    .option(
      '--rescore <n>',
      'int8, binary: vectors compared again as whole ones (default: by k)',
      wholeNumber(1),
    )
    .option('--dimension <n>', 'numbers in a bare row', wholeNumber(1))
    .option(
      '--model <name>',
      'what encoded the vectors, to be remembered; or what is to encode the collection',
    )
    .option('--shard-size <n>', 'with --queue: texts that a worker takes at once', wholeNumber(1), 1024)
    .option('--overwrite', 'replace an index that is there')
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print what was made as JSON')
    .addHelpText('after', EXAMPLES)
    .action(indexAction);
  addFleetOptions(index, 'encode the collection');
}

async function indexAction(vectors: string, out: string, flags: IndexFlags): Promise<void> {
  if (flags.append || flags.delete) {
    return (await import('./change-index.js')).changeIndex(vectors, out, flags);
  }
  checkFlags(flags);
  const [{ VectorFile }, { withVectorFile }, { buildIndex }] = await Promise.all([
    import('../../../model/tensors/vector-file.js'),
    import('./encoded-input.js'),
    import('./build-index.js'),
  ]);
  const started = performance.now();
  const { metadata, documents } = await withVectorFile(vectors, out, flags, async (path) => {
    const file = await VectorFile.open(path, { dimension: flags.dimension });
    return buildIndex(file, out, flags).finally(() => file.close());
  });
  const seconds = Number(secondsSince(started).toFixed(3));
  await printSummary({ index: out, ...metadata, documents, seconds }, flags);
}

type Summary = VectorIndexMetadata & { index: string; documents: number; seconds: number };

async function printSummary(summary: Summary, { json }: IndexFlags): Promise<void> {
  if (json) printJson(summary);
  else {
    const { count } = await import('../../../base/progress.js');
    const { index, type, storage, dimension } = summary;
    const { bits, rows = summary.count } = summary.parameters;
    const several = summary.documents < rows ? ` of ${count(summary.documents)} documents` : '';
    const kept = type === 'tokens' ? `${bits} bits` : storage;
    const what = summary.type === 'tokens' ? 'tokens' : 'vectors';
    print(`${index}: ${count(rows)} ${what}${several}, dimension ${dimension}, ${type} ${kept}\n`);
  }
}
