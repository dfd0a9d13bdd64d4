import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { loadSide } from '../../model/folder/tower-folders.js';
import { type EncodedCollection, Encoder, type EncoderModel, encodeNumbered } from '../../model/index.js';
import type { UsedPrecision } from '../../model/precision/precision.js';
import { modelFolder } from '../../run/model-folder.js';
import type { CheckpointSearchOptions } from './checkpoint-search.js';

/** A collection as a checkpoint encodes it, and what encoded it. */
export interface EncodedDocuments extends EncodedCollection {
  model: EncoderModel;
  dimension: number;
  precision: UsedPrecision;
}

/** Encodes the collection with a checkpoint: here, or on the workers of a queue. What was done before a kill is found again. */
export async function encodeDocuments(
  step: number,
  options: CheckpointSearchOptions,
): Promise<EncodedDocuments> {
  const { run, recipe, data, session, fleet, signal } = options;
  const model = await loadSide(await modelFolder(run, step), 'documents');
  const { precision } = recipe.refresh;
  const keeping = {
    directory: run.file('cache', 'shards', String(step)),
    onProgress: (done: number) => options.onProgress?.(done, data.documents.count),
    signal,
  };
  if (fleet === undefined) {
    const encoder = await Encoder.create(model, { session: { ...session, precision } });
    const encoded = await encodeNumbered(encoder, data.documents, keeping).finally(() => encoder.release());
    return { ...encoded, model, dimension: encoder.dimension, precision: encoder.precision };
  }
  const { encodeNumberedOnFleet, FleetEncoder } = await import('../../fleet/index.js');
  const encoder = await FleetEncoder.open({
    ...fleet,
    model,
    use: 'document',
    precision: precision === 'int8' ? 'int8' : 'fp32',
    group: `${hostname()}:${resolve(run.path)}`,
    order: step,
    log: (line) => process.emitWarning(line),
    signal,
  });
  const { shardSize } = fleet;
  const encoded = await encodeNumberedOnFleet(encoder, data.documents, { ...keeping, shardSize }).catch(
    async (error) => {
      await encoder.close();
      throw error;
    },
  );
  const remove = async (): Promise<void> => {
    await encoded.remove();
    await encoder.close();
  };
  return { ...encoded, remove, model, dimension: encoder.dimension, precision: encoder.precision };
}
