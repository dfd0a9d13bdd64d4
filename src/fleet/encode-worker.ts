// Encodes shards in a thread of its own for run-fleet-member.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { answerCalls } from '../base/worker-calls.js';
import { Encoder } from '../model/encoder/encoder.js';
import { loadEncoderModel } from '../model/encoder/encoder-model.js';
import { weightsFingerprint } from '../model/folder/weights-fingerprint.js';
import type { LoadedModel, ThreadAnswer, ThreadRequest, ThreadStart } from './encode-messages.js';

const { folder, precision, threads } = workerData as ThreadStart;

await answerCalls<ThreadRequest, ThreadAnswer, LoadedModel>(parentPort!, async () => {
  const model = await loadEncoderModel(folder, { quiet: true });
  const encoder = await Encoder.create(model, { session: { threads, precision } });
  const { dimension } = encoder;
  const weights = weightsFingerprint(model.parameters);
  return {
    started: { weights, tokenizer: model.tokenizer.fingerprint, dimension },
    answer: async ({ texts, use }) => {
      const reply = await encoder.encode(texts, { use });
      const transfer = [reply.vectors.buffer, reply.offsets.buffer] as ArrayBuffer[];
      return { reply, transfer };
    },
  };
});
