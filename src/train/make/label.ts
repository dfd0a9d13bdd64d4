import { closingAfter } from '../../base/closing.js';
import type { OptionsOf } from '../../base/registry.js';
import { Random } from '../../engine/index.js';
import type { Ranking } from '../../evaluate/index.js';
import type { RankedList } from '../../negatives/index.js';
import { sampleDistinct } from '../../negatives/sample-distinct.js';
import type { labelKind } from '../../recipe/makers/label-kind.js';
import { locateMade } from '../../run/made.js';
import { fillLabelFolder, label } from '../../teacher/index.js';
import { inTurn } from '../mining/in-turn.js';
import { fileLists } from '../mining/rankings.js';
import { writeTeacherLists } from '../refresh/teacher-lists.js';
import { openTaughtTexts } from '../task/taught-texts.js';
import { compareTeacher } from './compare-teacher.js';
import type { MakeContext } from './make-context.js';
import { openRecipeScorers } from './recipe-scorers.js';

type LabelOptions = OptionsOf<(typeof labelKind)['options']>;

/** Opens the maker `label`. What was scored is kept for all runs, so that a stopped stage goes on where it was. */
export async function makeLabelled(options: LabelOptions, context: MakeContext): Promise<void> {
  const { run, recipe, data, description, folder, progress, signal, stage, tell } = context;
  const { models, normalize, depth, draw } = options;
  const ranked: Iterable<RankedList>[] = [];
  for (const file of [options.candidates].flat()) {
    ranked.push(await fileLists(await locateMade(run, file), data, description));
  }
  const found = inTurn(ranked);
  const lists = draw === 0 ? found : found.map((list) => drawn(list, { depth, draw, data, recipe }));
  const total = lists.reduce(
    (sum, { query, ids }) => sum + data.training[query].positives.length + Math.min(depth, ids.length),
    0,
  );
  await closingAfter(async (closing) => {
    const texts = await closing.add(openTaughtTexts(data));
    const teachers = await closing.add(openRecipeScorers(models, context, normalize));
    const onDev = await compareTeacher({ ...context, texts, score: (pairs) => teachers.score(pairs) });
    const rankings = new Map<string, Ranking>();
    const margins = new Margins();
    let done = 0;
    for await (const { query, documents, scores } of label({
      scorers: teachers.scorers,
      normalize,
      lists,
      depth,
      positives: (member) => data.training[member].positives,
      queryText: (member) => texts.query(data.training[member].query),
      documentText: texts.document,
    })) {
      rankings.set(data.queries.cache.id(data.training[query].query), {
        ids: documents.map((document) => data.documents.cache.id(document)),
        scores: Float64Array.from(scores),
      });
      margins.add(data.training[query].positives, documents, scores);
      done += documents.length;
      if (rankings.size % PROGRESS_QUERIES !== 0) continue;
      await progress(done, total);
      signal.throwIfAborted();
    }
    await progress(total, total);
    tell({ queries: rankings.size, pairs: done, ...margins.figures });
    if (onDev) await writeTeacherLists(folder, onDev);
    await fillLabelFolder(
      folder,
      { tag: stage.name, rankings },
      {
        dataFingerprint: data.tables.dataFingerprint,
        teachers: teachers.scorers.map(({ fingerprint }) => fingerprint),
      },
    );
  });
}

/** How far the teacher holds positives above candidates: where it does not, the query or the label may be wrong. */
class Margins {
  #count = 0;
  #sum = 0;
  #below = 0;

  add(positives: Int32Array, documents: readonly number[], scores: Float32Array): void {
    const isPositive = (place: number): boolean => positives.includes(documents[place]);
    const best = Math.max(...Array.from(scores).filter((_, place) => isPositive(place)));
    scores.forEach((score, place) => {
      if (isPositive(place)) return;
      this.#count++;
      this.#sum += best - score;
      if (score > best) this.#below++;
    });
  }

  get figures(): Record<string, number> {
    if (this.#count === 0) return {};
    return { 'mean margin': this.#sum / this.#count, 'margins below 0': this.#below };
  }
}

/** Some of a query's first candidates, in their order; its positives are scored anyway. */
function drawn(
  { query, ids, scores }: RankedList,
  { depth, draw, data, recipe }: { depth: number; draw: number } & Pick<MakeContext, 'data' | 'recipe'>,
): RankedList {
  const { positives } = data.training[query];
  const others = [...ids.keys()].filter((place) => !positives.includes(ids[place])).slice(0, depth);
  const places = sampleDistinct(Random.from(recipe.seed, 'label', query), others.length, draw)
    .sort((a, b) => a - b)
    .map((nth) => others[nth]);
  return {
    query,
    ids: Int32Array.from(places, (place) => ids[place]),
    scores: Float32Array.from(places, (place) => scores[place]),
  };
}

/** Queries between two looks at whether to stop. */
const PROGRESS_QUERIES = 16;
