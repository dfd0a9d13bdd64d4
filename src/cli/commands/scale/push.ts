import { Option } from 'commander';
import type { Quantization } from '../../../index/engines/engine.js';
import type { RegisterCommand } from '../../command.js';
import { COLLECTION_MODEL } from '../../options/mode-options.js';
import { wholeNumber } from '../../options/option-parsers.js';
import { print, printJson, tell } from '../../output.js';

interface PushFlags {
  to: string;
  data?: string;
  model?: string;
  cache?: string;
  storage: 'f32' | 'f16';
  shards?: number;
  replicas?: number;
  quantization: Quantization;
  exact?: boolean;
  texts: boolean;
  quiet?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  nearmiss push runs/medquad --to qdrant://localhost:6333/medquad
  nearmiss push runs/medquad --to qdrant://a:6333,b:6333,c:6333/medquad --shards 6 --replicas 2 --quantization int8
  nearmiss push ./docs --to qdrant://localhost:6333/docs
  nearmiss push runs/medquad --to postgres://me@localhost:5432/mydb/medquad --storage f16
  nearmiss serve qdrant://localhost:6333/medquad --model runs/medquad/best --watch
  nearmiss search 'qdrant://localhost:6333/medquad?exact' "what causes anemia" --model runs/medquad/best

What is pushed is a version of its own; the name points to it when every document is there and some were read back. Servers that
--watch go over by themselves; the version before stays for those that do not. The same command after a kill goes on.
Keys come from the environment: QDRANT_API_KEY, PGPASSWORD (or ~/.pgpass). qdrants:// is Qdrant over TLS, ?sslmode=require
PostgreSQL, which needs the extension pgvector and here: npm install pg.`;

/** `nearmiss push`: search in an engine what was encoded here. */
export const registerPush: RegisterCommand = (program) => {
  program
    .command('push')
    .summary('put vectors and documents into a search engine')
    .description(
      'Puts a run, an index or a collection into a search engine, as a version that its name then points to.',
    )
    .argument('<target>', 'a run, a vector index (with --model and --data), or a collection')
    .requiredOption(
      '--to <address>',
      'qdrant://HOST:PORT[,HOST:PORT…]/NAME or postgres://USER@HOST:PORT/DATABASE/NAME',
    )
    .option('--data <dir>', 'the collection (a run knows its own)')
    .option(
      '--model <model>',
      'the model that encoded the index, or that is to encode the collection (default: minilm)',
    )
    .addOption(new Option('--storage <type>', 'numbers of a vector').choices(['f32', 'f16']).default('f32'))
    .option(
      '--shards <n>',
      "of Qdrant: parts on different machines (default: the engine's; fixed for a version)",
      wholeNumber(1),
    )
    .option('--replicas <n>', 'of Qdrant: machines that have each part (default: 1)', wholeNumber(1))
    .addOption(
      new Option(
        '--quantization <bits>',
        'fewer bits in memory, rescored with whole vectors from disk (pgvector: binary only)',
      )
        .choices(['none', 'int8', 'binary'])
        .default('none'),
    )
    .option('--exact', 'build no graph: every search compares all documents')
    .option('--no-texts', 'send metadata but neither titles nor texts')
    .option('--cache <dir>', 'where to keep what has to be made (default: in the target)')
    .option('--quiet', 'no progress on stderr')
    .option('--json', 'print what was pushed as JSON')
    .addHelpText('after', EXAMPLES)
    .action(pushCommand);
};

async function pushCommand(target: string, { quiet, json, ...flags }: PushFlags): Promise<void> {
  const [{ push }, { count, Progress }] = await Promise.all([
    import('../../../search/remote/push.js'),
    import('../../../base/progress.js'),
  ]);
  const pushed = await push(target, {
    ...flags,
    collectionModel: COLLECTION_MODEL,
    onNote: (note) => tell(`${note}\n`),
    onProgress: (step) => new Progress({ ...step, quiet }),
  });
  if (json) return printJson(pushed);
  const { name, version, documents, rows, dimension } = pushed;
  const several = rows > documents ? ` in ${count(rows)} rows` : '';
  const what =
    dimension === undefined ? `, ${count(rows)} weights of terms` : `${several}, dimension ${dimension}`;
  print(`${name} → ${version}: ${count(documents)} documents${what}\n`);
}
