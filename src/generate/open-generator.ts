import type { SessionOptions } from '../engine/index.js';
import type { FleetPlace } from '../fleet/index.js';
import { EndpointGenerator, type EndpointOptions } from './endpoint-generator.js';
import { isEndpoint, requireService } from './named-generator.js';
import type { QueryGenerator } from './query-generator.js';
import { Seq2SeqGenerator } from './seq2seq-generator.js';

/** How queries are written, by whatever writes them. */
export interface WriteOptions {
  /** Queries for each passage. */
  count: number;
  temperature: number;
  seed: number;
  /** For models of our own. */
  topK: number;
  topP: number;
  /** Sequences that a beam keeps; 0 draws instead. */
  beams: number;
  lengthPenalty: number;
  minTokens: number;
  maxTokens?: number;
  repetitionPenalty: number;
  noRepeat: number;
  session?: SessionOptions;
  /** Writes on the workers of a queue. */
  fleet?: FleetPlace;
  /** For services elsewhere. */
  endpoint?: Partial<EndpointOptions>;
}

/** Opens what writes queries: a service by its address, else a model by its folder or hub id. */
export async function openGenerator(generator: string, options: WriteOptions): Promise<QueryGenerator> {
  const { count, temperature, seed, topK, topP, beams, lengthPenalty, endpoint = {} } = options;
  if (isEndpoint(generator)) {
    requireService(generator, endpoint.model);
    const { maxTokens } = options;
    return new EndpointGenerator({
      ...endpoint,
      model: endpoint.model!,
      url: generator,
      count,
      temperature,
      seed,
      ...(maxTokens && { maxTokens: maxTokens * count }),
    });
  }
  const { minTokens, maxTokens, repetitionPenalty, noRepeat, session } = options;
  const model = await Seq2SeqGenerator.open(generator, {
    search:
      beams > 0
        ? { kind: 'beam', beams, copies: count, lengthPenalty }
        : { kind: 'sample', copies: count, topK, topP, temperature, seed },
    minTokens,
    maxTokens,
    repetitionPenalty,
    noRepeat,
    session,
  });
  const { fleet, session: _session, endpoint: _endpoint, ...settings } = options;
  if (!fleet) return model;
  // Loaded only to know what its queries depend on.
  await model.close();
  const { FleetGenerator } = await import('./fleet-generator.js');
  return FleetGenerator.open(generator, model, { ...fleet, settings: { ...settings } });
}
