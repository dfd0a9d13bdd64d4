import { between, modelName, text, whole } from '../../base/settings.js';
import { GENERATOR, isEndpoint, requireService } from '../../generate/named-generator.js';
import { requireModel } from '../../teacher/labeller-options.js';

/** Queries that a model writes for the documents (QGen's and GPL's first step). */
export const generateKind = {
  name: 'generate',
  description:
    'queries that a model writes for the documents, for `examples: {name: generated, file: stage:NAME}` in later stages',
  options: {
    generator: modelName().describe(
      "what writes: a run of the recipe query-generator, of which the best model counts, a model's folder or hub id, stage:NAME of a stage that trains one, or the address of a service with OpenAI's chat completions (http://…/v1), whose key is NEARMISS_GENERATOR_KEY",
    ),
    service: text().optional().describe("which of a service's models writes, where `generator` is one"),
    count: whole(1).default(3).describe('queries for each passage'),
    splitWords: whole(0)
      .default(0)
      .describe(
        'long documents are read in passages of at most so many words; 0 reads the beginning of each',
      ),
    limit: whole(0).default(0).describe('only so many documents, drawn by the seed; 0 for all'),
    topK: whole(0).default(10).describe('draw among so many most probable tokens; 0 for all'),
    topP: between(0, 1, { open: 'least' })
      .default(1)
      .describe('… and of these the most probable with this share in all'),
    temperature: between(0, 10, { open: 'least' }).default(1).describe('below 1 less, above 1 more variety'),
  },
  async require({ generator, service }: { generator: string; service?: string }): Promise<void> {
    if (isEndpoint(generator)) return requireService(generator, service);
    await requireModel(generator, GENERATOR);
  },
};
