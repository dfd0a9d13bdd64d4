import { NearmissError } from '../../base/errors.js';
import type { OptionsOf } from '../../base/registry.js';
import { fillClusterFolder } from '../../examples/index.js';
import { sphericalKMeans } from '../../index/clusters/index.js';
import type { clusterKind } from '../../recipe/makers/cluster-kind.js';
import type { MakeContext } from './make-context.js';

type ClusterOptions = OptionsOf<(typeof clusterKind)['options']>;

/** Opens the maker `cluster`. */
export async function makeClusters(
  { size, clusters: asked }: ClusterOptions,
  context: MakeContext,
): Promise<void> {
  const { data, model, session, recipe, folder, stage, progress, signal, tell } = context;
  const count = data.training.length;
  const clusters = asked ?? Math.max(1, Math.round(count / size));
  if (clusters > count) {
    throw new NearmissError(
      `stage ${stage.name}: expected at most as many clusters as there are training queries, ${count}, got ${clusters}`,
      { hint: `lower stages.${stage.name}.make.clusters, or leave it out` },
    );
  }
  const encoder = await model.liveEncoder('queries', session);
  const { texts } = await data.queries.texts(data.training.map(({ query }) => query));
  const vectors = await encoder.encode(texts).finally(() => encoder.release());
  const clustered = await sphericalKMeans(vectors, {
    dimension: vectors.length / count,
    clusters,
    seed: recipe.seed,
    session,
    async onRound(round, rounds) {
      await progress(round, rounds);
      signal.throwIfAborted();
    },
  });
  await fillClusterFolder(folder, clustered.assigned);
  tell(sizesOf(clustered.assigned));
}

/** How many clusters have members, and how many the smallest, the middle and the largest have. */
function sizesOf(places: Int32Array): Record<string, number> {
  const counts = new Map<number, number>();
  for (const cluster of places) counts.set(cluster, (counts.get(cluster) ?? 0) + 1);
  const sizes = [...counts.values()].sort((a, b) => a - b);
  return {
    clusters: sizes.length,
    smallest: sizes[0],
    median: sizes[sizes.length >> 1],
    largest: sizes[sizes.length - 1],
  };
}
