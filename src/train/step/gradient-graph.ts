import {
  type DenseTensor,
  emitOnnx,
  type Gradients,
  type Graph,
  type ParameterLookup,
  ParameterStore,
  Session,
  type SessionOptions,
  type Value,
} from '../../engine/index.js';

interface Lookup {
  table: string;
  /** The input or output that has them. */
  ids: string;
  rowsOutput: string;
}

/**
 * A compiled graph whose outputs are gradients of parameters, and whatever else was asked for. Running it adds
 * the gradients to a store, so that several runs accumulate.
 */
export class GradientGraph {
  readonly #session: Session;
  readonly #parameters: ParameterLookup;
  readonly #lookups: readonly Lookup[];
  /** The runtime writes dense gradients here in place, so that no step leaves megabytes to the collector. */
  readonly #scratch: ParameterStore;

  private constructor(
    session: Session,
    parameters: ParameterLookup,
    dense: readonly Value[],
    lookups: Lookup[],
  ) {
    this.#session = session;
    this.#parameters = parameters;
    this.#lookups = lookups;
    this.#scratch = new ParameterStore(dense.map(({ name, shape }) => ({ name, shape: shape as number[] })));
  }

  static async compile(options: {
    graph: Graph;
    gradients: Gradients;
    outputs: Record<string, Value>;
    parameters: ParameterLookup;
    session?: SessionOptions;
  }): Promise<GradientGraph> {
    const { graph, gradients } = options;
    const outputs: Record<string, Value> = { ...options.outputs };
    for (const [parameter, gradient] of gradients.dense) outputs[gradientOutput(parameter.name)] = gradient;
    const lookups = gradients.sparse.map(({ table, ids, rows }) => {
      // Word, position and type embeddings are summed, so all three share one tensor of gradients.
      const rowsOutput = `rows of ${rows.name}`;
      outputs[rowsOutput] = rows;
      // Which rows of a table were used is fed, or turns out.
      const idsName = ids.producer ? `numbers of ${rows.name}` : ids.name;
      if (ids.producer) outputs[idsName] = ids;
      return { table: table.name, ids: idsName, rowsOutput };
    });
    const session = await Session.create(emitOnnx(graph, { outputs }), options.session);
    return new GradientGraph(session, options.parameters, [...gradients.dense.keys()], lookups);
  }

  /** Runs once, adds the gradients to `gradients`, and returns the other outputs. */
  async addGradients(
    feeds: Record<string, DenseTensor>,
    gradients: ParameterStore,
  ): Promise<Record<string, DenseTensor>> {
    const into: Record<string, DenseTensor> = {};
    for (const name of this.#scratch.names) into[gradientOutput(name)] = this.#scratch.tensor(name);
    const all = { ...feeds, ...parameterFeeds(this.#session, this.#parameters) };
    const outputs = await this.#session.run(all, { into });
    for (const name of this.#scratch.names) addTo(gradients.get(name), this.#scratch.get(name));
    for (const { table, ids: name, rowsOutput } of this.#lookups) {
      const ids = (feeds[name] ?? outputs[name]).data as Int32Array;
      addRows(gradients.tensor(table), ids, outputs[rowsOutput].data as Float32Array);
    }
    return outputs;
  }

  async release(): Promise<void> {
    await this.#session.release();
  }
}

/** The parameters that a session wants to be fed. */
export function parameterFeeds(session: Session, parameters: ParameterLookup): Record<string, DenseTensor> {
  const names = session.inputNames.filter((name) => parameters.has(name));
  return Object.fromEntries(names.map((name) => [name, parameters.tensor(name)]));
}

function gradientOutput(parameter: string): string {
  return `gradient of ${parameter}`;
}

function addTo(sum: Float32Array, addend: Float32Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] += addend[i];
}

/** table[ids[i]] += rows[i], in order, so that the sum does not depend on threads. */
function addRows(
  table: { shape: readonly number[]; data: Float32Array },
  ids: Int32Array,
  rows: Float32Array,
): void {
  const width = table.shape[1];
  const sums = table.data;
  for (let i = 0; i < ids.length; i++) {
    const to = ids[i] * width;
    const from = i * width;
    for (let j = 0; j < width; j++) sums[to + j] += rows[from + j];
  }
}
