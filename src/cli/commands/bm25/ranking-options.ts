import { type Command, Option } from 'commander';
import { UsageError } from '../../../base/errors.js';
import type { RankOptions, Scoring } from '../../../index/bm25/ranker.js';
import { flagName } from '../../options/flag-name.js';
import { numberBetween, wholeNumber } from '../../options/option-parsers.js';

/** The flags that say how documents are scored; see {@link toRankOptions}. */
export interface RankingFlags {
  k: number;
  model: 'bm25' | 'tfidf';
  k1?: number;
  b?: number;
  rm3?: boolean;
  fbDocs?: number;
  fbTerms?: number;
  originalWeight?: number;
}

export function addRankingOptions(command: Command, defaultK: number): Command {
  return command
    .option('-k, --k <n>', 'documents a query', wholeNumber(1), defaultK)
    .addOption(new Option('--model <name>', 'scoring').choices(['bm25', 'tfidf']).default('bm25'))
    .option('--k1 <number>', "BM25's k1 (default: 0.9)", numberBetween(0, 1000))
    .option('--b <number>', "BM25's b (default: 0.4)", numberBetween(0, 1))
    .option('--rm3', 'expand queries with terms of the first documents found')
    .option('--fb-docs <n>', 'RM3: documents that terms are taken from (default: 10)', wholeNumber(1))
    .option('--fb-terms <n>', 'RM3: terms taken (default: 10)', wholeNumber(1))
    .option('--original-weight <number>', "RM3: the query's own share (default: 0.5)", numberBetween(0, 1));
}

export function toRankOptions(flags: RankingFlags): RankOptions {
  if (!flags.rm3) {
    for (const name of ['fbDocs', 'fbTerms', 'originalWeight'] as const) {
      if (flags[name] !== undefined) throw new UsageError(`${flagName(name)} is of no use without --rm3`);
    }
  }
  return {
    k: flags.k,
    scoring: toScoring(flags),
    rm3: flags.rm3 ? definedOnly(flags) : undefined,
  };
}

function definedOnly({ fbDocs, fbTerms, originalWeight }: RankingFlags): RankOptions['rm3'] {
  return {
    ...(fbDocs !== undefined && { feedbackDocuments: fbDocs }),
    ...(fbTerms !== undefined && { feedbackTerms: fbTerms }),
    ...(originalWeight !== undefined && { originalWeight }),
  };
}

function toScoring({ model, k1, b }: RankingFlags): Scoring {
  if (model === 'bm25') return { model, k1, b };
  if (k1 !== undefined || b !== undefined)
    throw new UsageError('--k1 and --b are of no use with --model tfidf');
  return { model };
}
