import { type Summary, summarize } from '../statistics.js';
import type { DrawnNegatives } from './draw-negatives.js';
import type { SampledQuery } from './sample.js';

/** A query, its positive and a negative as the model embeds them. */
export interface Triple {
  query: Float32Array;
  positive: Float32Array;
  negative: Float32Array;
}

/**
 * ‖∇l‖ at the last layer for one triple, in closed form. With s = q·d / τ and the pair NLL l = ln(1 + e^(s⁻ − s⁺)),
 * every derivative carries the probability π = σ(s⁻ − s⁺) that the model gives to the negative:
 *
 * ```
 * ∂l/∂q = (π/τ)(d⁻ − d⁺)    ∂l/∂d⁺ = −(π/τ) q    ∂l/∂d⁻ = (π/τ) q
 * ‖∇l‖ = (π/τ) √(‖d⁺ − d⁻‖² + 2‖q‖²)
 * ```
 *
 * By eq. 12 of the ANCE paper the norm of the whole gradient is at most this times a factor of the network.
 */
export function lastLayerGradientNorm({ query, positive, negative }: Triple, temperature: number): number {
  let difference = 0;
  let distance = 0;
  let length = 0;
  for (let i = 0; i < query.length; i++) {
    const gap = negative[i] - positive[i];
    difference += query[i] * gap;
    distance += gap * gap;
    length += query[i] * query[i];
  }
  const probability = 1 / (1 + Math.exp(-difference / temperature));
  return (probability / temperature) * Math.sqrt(distance + 2 * length);
}

/** Gradient norms of one source's negatives. */
export interface SourceGradients extends Summary {
  source: string;
  /** Its mean over that of in-batch negatives, and over that of the true top, the most informative there are. */
  toInBatch: number;
  toTop: number;
}

export interface GradientBound {
  temperature: number;
  queries: number;
  sources: SourceGradients[];
}

export interface GradientBoundOptions {
  queries: readonly SampledQuery[];
  drawn: readonly DrawnNegatives[];
  /** Divides scores in the run's loss. */
  temperature: number;
  /** The row a document is scored by for a sampled query. */
  vectorFor: (query: number, document: number) => Float32Array;
}

/** How much each source of negatives would teach the same model: the paper's §3.1 asks for p(d⁻) ∝ ‖∇l‖. */
export function gradientBound({
  queries,
  drawn,
  temperature,
  vectorFor,
}: GradientBoundOptions): GradientBound {
  const norms = drawn.map(({ documents }) =>
    queries.flatMap(({ vector, positive }, place) =>
      Array.from(documents[place], (negative) =>
        lastLayerGradientNorm(
          { query: vector, positive: vectorFor(place, positive), negative: vectorFor(place, negative) },
          temperature,
        ),
      ),
    ),
  );
  const summaries = drawn.map(({ source }, i) => ({ source, ...summarize(norms[i]) }));
  const meanOf = (name: string): number =>
    summaries.find(({ source }) => source === name)?.mean ?? Number.NaN;
  const [inBatch, top] = [meanOf('in-batch'), meanOf('true top')];
  return {
    temperature,
    queries: queries.length,
    sources: summaries.map((summary) => ({
      ...summary,
      toInBatch: summary.mean / inBatch,
      toTop: summary.mean / top,
    })),
  };
}
