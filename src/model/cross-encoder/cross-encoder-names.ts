import { join } from 'node:path';
import { z } from 'zod';
import { exists } from '../../base/files.js';
import { readJsonFile } from '../../base/json-file.js';
import { type EncoderConfig, type ModelType, toHuggingFaceConfig } from '../encoder/config.js';
import { SCORE_NAMES } from './cross-encoder-graph.js';

/** What Transformers calls a model that scores pairs, by the family it is of. */
const CLASS_NAMES: Record<ModelType, string> = {
  bert: 'BertForSequenceClassification',
  roberta: 'RobertaForSequenceClassification',
  'xlm-roberta': 'XLMRobertaForSequenceClassification',
  camembert: 'CamembertForSequenceClassification',
};

/** Our names of the scoring layers → theirs, behind the prefix of the transformer's own names. */
const STORED_NAMES: Record<EncoderConfig['architecture'], Record<string, string>> = {
  bert: {
    [SCORE_NAMES.poolerWeight]: 'pooler.dense.weight',
    [SCORE_NAMES.poolerBias]: 'pooler.dense.bias',
    [SCORE_NAMES.scoreWeight]: 'classifier.weight',
    [SCORE_NAMES.scoreBias]: 'classifier.bias',
  },
  roberta: {
    [SCORE_NAMES.poolerWeight]: 'classifier.dense.weight',
    [SCORE_NAMES.poolerBias]: 'classifier.dense.bias',
    [SCORE_NAMES.scoreWeight]: 'classifier.out_proj.weight',
    [SCORE_NAMES.scoreBias]: 'classifier.out_proj.bias',
  },
};

/** The name under which opened weights offer one of our parameters. */
export function weightName(name: string, { architecture }: EncoderConfig): string {
  return STORED_NAMES[architecture][name] ?? name;
}

/** The name that Transformers gives one of our parameters in `model.safetensors`. */
export function storedName(name: string, config: EncoderConfig): string {
  const stored = weightName(name, config);
  return stored.startsWith('classifier.') ? stored : `${config.architecture}.${stored}`;
}

/** Scores are plain numbers, not probabilities: sentence-transformers would put a sigmoid over a single label. */
const NO_ACTIVATION = 'torch.nn.modules.linear.Identity';

/** The content of a `config.json` that Transformers, Transformers.js and sentence-transformers' CrossEncoder load. */
export function crossEncoderConfig(config: EncoderConfig): Record<string, unknown> {
  return {
    ...toHuggingFaceConfig(config),
    architectures: [CLASS_NAMES[config.modelType ?? config.architecture]],
    id2label: { '0': 'LABEL_0' },
    label2id: { LABEL_0: 0 },
    sbert_ce_default_activation_function: NO_ACTIVATION,
    sentence_transformers: { activation_fn: NO_ACTIVATION },
  };
}

const architectures = z.looseObject({ architectures: z.array(z.string()).nullish() });

/** Whether a folder's `config.json` names a model that scores pairs. */
export async function isCrossEncoder(folder: string): Promise<boolean> {
  const path = join(folder, 'config.json');
  if (!(await exists(path))) return false;
  const config = await readJsonFile(path, architectures);
  return config.architectures?.some((name) => name.endsWith('ForSequenceClassification')) ?? false;
}
