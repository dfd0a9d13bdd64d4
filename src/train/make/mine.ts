import type { OptionsOf } from '../../base/registry.js';
import { mine } from '../../negatives/index.js';
import type { mineKind } from '../../recipe/makers/mine-kind.js';
import { outcomeOf, shortageWarning } from '../../run/mining-outcome.js';
import { withRules } from '../mining/mining-rules.js';
import { bm25Lists } from '../mining/rankings.js';
import { trainedKinds } from '../model/kinds.js';
import type { CheckpointSearch } from '../refresh/checkpoint-search.js';
import { trainingLists } from '../refresh/publish-negatives.js';
import type { MakeContext } from './make-context.js';

type MineOptions = OptionsOf<(typeof mineKind)['options']>;

/** Opens the maker `mine`. */
export async function makeMined(options: MineOptions, context: MakeContext): Promise<void> {
  const { run, data, stage, folder, recipe, session, progress, signal, tell, events } = context;
  const { depth, retriever } = options;
  let checkpoint: CheckpointSearch | undefined;
  try {
    if (retriever === 'model') {
      const search = { run, recipe, data, session, onProgress: progress, signal };
      checkpoint = await trainedKinds.get(recipe.model.kind).openCheckpoint(stage.start, search);
    }
    const { table, report } = await withRules(options, data, (rules) =>
      mine({
        ...data.tables,
        source: 'static',
        index: checkpoint ? `the model of step ${stage.start}` : "the run's BM25 index",
        documentCount: data.documents.count,
        depth,
        lists: checkpoint
          ? trainingLists(checkpoint, data, { members: Int32Array.from(data.training.keys()), depth })
          : bm25Lists(run, data, depth),
        positives: (query) => data.training[query].positives,
        rules,
      }),
    );
    // Labels that are wrong may leave nothing by a margin: who learns from other negatives, too, goes on without these.
    const outcome = outcomeOf(`mined by stage ${stage.name}`, table, report, { mayBeEmpty: true });
    const { ranked, kept, removed } = outcome;
    tell({ ranked, kept, ...prefixed('removed', removed) });
    const message = shortageWarning(`mined by stage ${stage.name}`, outcome);
    if (message !== undefined) await events.write({ type: 'log', level: 'warning', message });
    await table.save(folder, { overwrite: true });
  } finally {
    await checkpoint?.close();
  }
}

/** What rules removed, those that removed something. */
function prefixed(what: string, counts: Readonly<Record<string, number>>): Record<string, number> {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return Object.fromEntries(some.map(([name, count]) => [`${what} by ${name}`, count]));
}
