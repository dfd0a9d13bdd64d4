/**
 * A recipe as `run.json` has it, brought to how recipes are read today. Every loss used to have a margin, which `hinge`
 * alone looked at: a stage may have it from a loss of the recipe that has none any more.
 */
export function upgradeRecipe(stored: unknown): unknown {
  const { loss, stages, ...rest } = stored as StoredRecipe;
  const { name, margin, ...others } = loss ?? {};
  if (!OTHERS.includes(String(name)) || margin === undefined) return stored;
  return {
    ...rest,
    loss: { name, ...others },
    stages: stages?.map((stage) =>
      stage.loss?.name === 'hinge' ? { ...stage, loss: { margin, ...stage.loss } } : stage,
    ),
  };
}

/** The losses that were there then. */
const OTHERS = ['nll', 'infonce', 'bce', 'ranknet'];

interface StoredLoss {
  name?: unknown;
  margin?: unknown;
}

interface StoredRecipe {
  loss?: StoredLoss;
  stages?: { loss?: StoredLoss }[];
}
