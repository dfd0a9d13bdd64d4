import { NearmissError } from '../../../base/errors.js';
import { exists } from '../../../base/files.js';
import { checkContents } from '../../../base/folders/folder-contents.js';
import { count, Progress } from '../../../base/progress.js';
import type { Dataset } from '../../../data/dataset.js';
import { JUDGED_SPLIT } from '../../../data/judged/judged-split.js';
import { openDataset } from '../../../data/open.js';
import { queryAnswers } from '../../../evaluate/query-answers.js';
import {
  buildRules,
  CANDIDATE_FOLDER,
  type CandidateTable,
  DroppedByRule,
  loadMiningData,
  type MiningData,
  mine,
  PositiveRanks,
  type RuleTexts,
  type SampledData,
  takeSamples,
} from '../../../negatives/index.js';
import { print, printJson } from '../../output.js';
import type { MineFlags } from './flags.js';
import { openRankings } from './rankings.js';
import { formatReport, type Summary } from './report.js';
import { formatSamples } from './samples.js';
import { writeTrainingFile } from './training-file.js';

/** Mines, writes what was asked for, and prints report and samples. */
export async function mineCommand(path: string, flags: MineFlags): Promise<void> {
  await checkOutput(flags);
  const dataset = await openDataset(path, {
    ...(flags.examples && { examples: { [flags.split]: flags.examples }, split: flags.split }),
    ...(flags.split !== JUDGED_SPLIT && { judgments: false }),
  });
  const reading = new Progress({ label: 'read', unit: 'documents' });
  const data = await loadMiningData(dataset, {
    split: flags.split,
    texts: Boolean(flags.dropAnswers || flags.show > 0 || flags.format === 'flagembedding'),
    onDocument: () => reading.advance(),
  });
  reading.finish();
  try {
    await mineFrom(dataset, data, flags);
  } finally {
    await data.close();
  }
}

async function mineFrom(dataset: Dataset, data: MiningData, flags: MineFlags): Promise<void> {
  const rankings = await openRankings(dataset, data, flags);
  try {
    const positiveRanks = new PositiveRanks();
    const dropped = flags.preview ? new DroppedByRule() : undefined;
    // Begun with the first query: before it, the ranker may be busy for long and shows that itself.
    let progress: Progress | undefined;
    const total = data.queries.length;
    const { table, report } = await mine({
      ...rankings,
      lists: positiveRanks.watch(rankings.lists, data.positives.of),
      queryCount: total,
      documentCount: data.documents.size,
      dataFingerprint: data.dataFingerprint,
      depth: flags.depth,
      positives: data.positives.of,
      rules: buildRules(flags, ruleTexts(data, flags)),
      onDropped: (candidate) => dropped?.note(candidate),
      onQuery: () => {
        progress ??= new Progress({ label: 'mine', unit: 'queries', total });
        progress.advance();
      },
    });
    progress?.finish();
    const summary: Summary = {
      data: dataset.name,
      split: flags.split,
      source: flags.source,
      index: rankings.index,
      documents: data.documents.size,
      queries: total,
      depth: flags.depth,
      report,
      out: flags.out,
      written: await writeOutput(table, data, flags),
    };
    const samples = takeSamples(table, sampledData(data), { positiveRanks, dropped }, flags);
    if (flags.json) printJson({ ...summary, samples });
    else print(`${formatReport(summary)}${formatSamples(samples)}`);
  } finally {
    await rankings.close();
  }
}

function ruleTexts({ queries, fingerprintOf, texts }: MiningData, flags: MineFlags): RuleTexts {
  const hint = 'dropping answers needs the answers of every training query; leave --drop-answers out';
  return {
    fingerprintOf,
    ...(flags.dropAnswers && {
      answers: { answersOf: (query) => queryAnswers(queries[query], hint), textOf: texts!.get },
    }),
  };
}

function sampledData({ queries, positives, documents, texts }: MiningData): SampledData {
  return {
    queries,
    positives,
    idOf: (document) => documents.idAt(document),
    textOf: (document) => texts!.get(document),
  };
}

/** Says so before hours of work that the place is taken. */
async function checkOutput({ out, overwrite, format }: MineFlags): Promise<void> {
  if (out === undefined || !(await exists(out))) return;
  if (overwrite) return format === 'table' ? checkContents(out, CANDIDATE_FOLDER) : undefined;
  throw new NearmissError(`${out}: already exists`, { hint: 'choose another place, or pass --overwrite' });
}

async function writeOutput(
  table: CandidateTable,
  data: MiningData,
  { out, format, negatives, seed, overwrite }: MineFlags,
): Promise<string | undefined> {
  if (out === undefined) return undefined;
  if (format === 'table') {
    await table.save(out, { overwrite });
    return `candidates of ${count(table.queryCount)} queries`;
  }
  const examples = await writeTrainingFile(out, { table, data, format, negatives, seed });
  return `${count(examples)} training examples`;
}
