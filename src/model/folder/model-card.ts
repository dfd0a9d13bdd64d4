import { stringify } from 'yaml';
import type { Similarity } from '../encoder/head.js';

/** One measured number, e.g. `{ dataset: 'scifact', split: 'test', measure: 'nDCG@10', value: 0.6451 }`. */
export interface CardMeasure {
  dataset: string;
  split: string;
  measure: string;
  value: number;
}

/** What a model card tells; plain data, so that a run can keep it as JSON. */
export interface ModelCard {
  /** The model's title, e.g. `scifact-ance`. */
  name: string;
  /** Hub id or name of the model that training started from. */
  baseModel?: string;
  /** SPDX identifier, lower case, e.g. `apache-2.0`. */
  license?: string;
  /** ISO 639 codes, e.g. `['en']`. */
  languages?: string[];
  /** Names of the collections trained on. */
  datasets?: string[];
  maxSequenceLength: number;
  dimension: number;
  similarity: Similarity;
  pooling: string;
  normalize: boolean;
  /** Whether a linear layer (and LayerNorm) follows the pooling. */
  projection?: boolean;
  /** The file of 8-bit weights that the model began as. */
  dequantizedFrom?: string;
  /** Texts to put before inputs, by use (`query`, `document`). */
  prompts?: Record<string, string>;
  /** Settings of the training run, in the order in which they are to be shown. */
  recipe?: Record<string, string | number | boolean>;
  measures?: CardMeasure[];
  /** Versions of what the model was made with, e.g. `{ nearmiss: '0.1.0', node: '20.19.0' }`. */
  versions?: Record<string, string>;
  /** Whether negatives came from the model's own index while it was trained; adds the citation. */
  ance?: boolean;
}

/** What the third way to use a model is called. */
export const TRANSFORMERS_JS = 'Transformers.js (needs an ONNX export in `onnx/`)';

/** What a card tells of every kind of model. */
export type AnyModelCard = Pick<ModelCard, 'name' | 'maxSequenceLength'> & Partial<ModelCard>;

/** What a card tells of its kind of model. */
export interface CardOfKind {
  /** The library that loads it. Default `sentence-transformers`. */
  library?: string;
  /** As the Hugging Face hub sorts models. */
  pipelineTag: string;
  tags: readonly string[];
  introduction: string;
  /** Rows of a table, each a name and a value. */
  facts: readonly string[][];
  /** How to use the model with `tool`. */
  usage: readonly { tool: string; language: string; code: string }[];
  citation?: string;
}

/** Renders a README.md with the front matter that the Hugging Face hub reads. */
export function renderCard(card: AnyModelCard, kind: CardOfKind): string {
  const { library = 'sentence-transformers' } = kind;
  const frontMatter = {
    library_name: library,
    pipeline_tag: kind.pipelineTag,
    tags: [library, ...kind.tags],
    ...origin(card),
  };
  const sections = [
    `---\n${stringify(frontMatter, { lineWidth: 0 })}---`,
    `# ${card.name}`,
    kind.introduction,
    table(['', ''], [...beginnings(card), ...kind.facts]),
    '## Use',
    ...kind.usage.flatMap(({ tool, language, code }) => [`With ${tool}:`, fence(language, code)]),
    ...history(card),
    ...(kind.citation ? ['## Citation', kind.citation] : []),
  ];
  return `${sections.join('\n\n')}\n`;
}

const POOLINGS: Record<string, string> = {
  first: 'first token',
  mean: 'mean of the tokens',
  tokens: 'none: a row for each token',
  'first-tokens': 'none: a row for each of the first tokens of a document',
  codes: 'a row for each learned code of a query, one vector of a document',
};

/** Poolings that make one vector of every text. */
const SINGLE = new Set(['first', 'mean']);

/** Renders the card of an encoder. */
export function renderModelCard(card: ModelCard): string {
  return renderCard(card, {
    pipelineTag: 'sentence-similarity',
    tags: [
      'sentence-similarity',
      'feature-extraction',
      ...(card.pooling === 'tokens' ? ['PyLate', 'ColBERT', 'late-interaction'] : ['dense-retrieval']),
      'nearmiss',
      ...(card.ance ? ['ance'] : []),
    ],
    introduction: introduction(card),
    facts: [
      ['Longest input', `${card.maxSequenceLength} tokens`],
      ['Dimension', String(card.dimension)],
      ['Similarity', card.similarity === 'dot' ? 'dot product' : 'cosine'],
      ['Pooling', POOLINGS[card.pooling] ?? card.pooling],
      ['Normalised', card.normalize ? 'yes' : 'no'],
      ...Object.entries(card.prompts ?? {}).map(([use, text]) => [`Prompt (${use})`, `\`${text}\``]),
    ],
    usage: usage(card),
    ...(card.ance && { citation: ANCE_CITATION }),
  });
}

/** What the model began as. */
export function beginnings({
  baseModel,
  dequantizedFrom,
}: Pick<ModelCard, 'baseModel' | 'dequantizedFrom'>): string[][] {
  return [
    ['Base model', baseModel ?? dequantizedFrom ?? 'none (trained from scratch)'],
    ...(dequantizedFrom
      ? [['Began as', `8-bit weights (${dequantizedFrom}), dequantised: near the original, not the same`]]
      : []),
  ];
}

/** How the model came about and what it was measured at. */
function history(card: Pick<ModelCard, 'recipe' | 'measures' | 'versions'>): string[] {
  return [
    ...section('Training', Object.entries(card.recipe ?? {}), ['setting', 'value']),
    ...section(
      'Evaluation',
      (card.measures ?? []).map(({ dataset, split, measure, value }) => [
        dataset,
        split,
        measure,
        value.toFixed(4),
      ]),
      ['dataset', 'split', 'measure', 'value'],
    ),
    ...section('Versions', Object.entries(card.versions ?? {}), ['package', 'version']),
  ];
}

/** What the hub reads of any model's origin and measures. */
function origin(
  card: Pick<ModelCard, 'name' | 'baseModel' | 'license' | 'languages' | 'datasets' | 'measures'>,
): object {
  const { id: baseModel, license } = published(card);
  return {
    ...(baseModel && { base_model: baseModel }),
    ...(license && { license }),
    ...(card.languages?.length && { language: card.languages }),
    ...(card.datasets?.length && { datasets: card.datasets }),
    ...(card.measures?.length && { 'model-index': [modelIndex(card, card.measures)] }),
  };
}

/** Models that go by a shorter name here. */
const KNOWN_BASES: Record<string, { id: string; license: string }> = {
  minilm: { id: 'sentence-transformers/all-MiniLM-L6-v2', license: 'apache-2.0' },
};

/** What the hub is to know of the model that training started from: a name of this machine means nothing to it. */
function published({ baseModel = '', license }: Pick<ModelCard, 'baseModel' | 'license'>): {
  id?: string;
  license?: string;
} {
  const known = KNOWN_BASES[baseModel];
  const id = known?.id ?? (/^[\w-][\w.-]*\/[\w.-]+$/.test(baseModel) ? baseModel : undefined);
  return { id, license: license ?? known?.license };
}

/** The hub shows these numbers beside the model; one result for each collection and split. */
function modelIndex({ name }: Pick<ModelCard, 'name'>, measures: CardMeasure[]): object {
  const groups = new Map<string, CardMeasure[]>();
  for (const measure of measures) {
    const key = JSON.stringify([measure.dataset, measure.split]);
    groups.set(key, [...(groups.get(key) ?? []), measure]);
  }
  return {
    name,
    results: [...groups.values()].map((group) => ({
      task: { type: 'text-retrieval', name: 'Retrieval' },
      dataset: { name: group[0].dataset, type: group[0].dataset, split: group[0].split },
      metrics: group.map(({ measure, value }) => ({ type: measure, value, name: measure })),
    })),
  };
}

function introduction({ name, dimension, datasets, ance, pooling }: ModelCard): string {
  const onWhat = datasets?.length ? ` on ${datasets.join(', ')}` : '';
  const how = ance
    ? ' with ANCE: its negatives were the near misses of its own index, refreshed during training'
    : '';
  const trained = onWhat || how ? `, trained${onWhat}${how}` : '';
  if (pooling === 'tokens') {
    return `${name} is a text retriever of late interaction (ColBERT)${trained}. It turns every token of queries and documents into a row of ${dimension} numbers; a document scores the sum, over the query's tokens, of the best product with one of its own.`;
  }
  return `${name} is a dense text retriever${trained}. It turns queries and documents into vectors of ${dimension} numbers that are compared by a nearest-neighbour search.`;
}

function usage(card: ModelCard): CardOfKind['usage'] {
  const { name, similarity, prompts = {} } = card;
  const compare = similarity === 'dot' ? 'dot_score' : 'cos_sim';
  const query = JSON.stringify(`${prompts.query ?? ''}what is a near miss?`);
  const passage = JSON.stringify(`${prompts.document ?? ''}A near miss is something that almost happened.`);
  if (!SINGLE.has(card.pooling)) return severalRows(card, query, passage);
  return [
    {
      tool: 'nearmiss',
      language: 'sh',
      code: `nearmiss encode corpus.jsonl --model ${name} --output vectors.npy`,
    },
    {
      tool: 'sentence-transformers (version 5 or newer)',
      language: 'python',
      code: `from sentence_transformers import SentenceTransformer, util

model = SentenceTransformer("${name}")
query = model.encode(${query})
passage = model.encode(${passage})
print(util.${compare}(query, passage))`,
    },
    { tool: TRANSFORMERS_JS, language: 'js', code: transformersJs(card, query) },
  ];
}

/** What else reads rows that are tokens; nobody but nearmiss reads other kinds of several rows. */
function severalRows({ name, pooling }: ModelCard, query: string, passage: string): CardOfKind['usage'] {
  const own = {
    tool: 'nearmiss',
    language: 'sh',
    code: `nearmiss search corpus.jsonl ${query} --model ${name}`,
  };
  if (pooling !== 'tokens') return [own];
  return [
    own,
    {
      tool: 'PyLate',
      language: 'python',
      code: `from pylate import models, scores

model = models.ColBERT("${name}")
query = model.encode([${query}], is_query=True)
passage = model.encode([${passage}], is_query=False)
print(scores.colbert_scores(query, passage))`,
    },
    {
      tool: TRANSFORMERS_JS,
      language: 'js',
      code: `import { AutoModel } from '@huggingface/transformers';

// input_ids with their markers, queries filled up with [MASK] (attention 0): see config_sentence_transformers.json
const model = await AutoModel.from_pretrained('${name}', { dtype: 'fp32' });
const { token_embeddings } = await model({ input_ids, attention_mask, token_type_ids });`,
    },
  ];
}

/** The pipeline pools but knows no layers after the pooling; those are inside the export. */
function transformersJs({ name, projection, pooling, normalize }: ModelCard, query: string): string {
  if (projection) {
    return `import { AutoModel, AutoTokenizer } from '@huggingface/transformers';

const tokenizer = await AutoTokenizer.from_pretrained('${name}');
const model = await AutoModel.from_pretrained('${name}');
const { sentence_embedding } = await model(await tokenizer([${query}], { padding: true, truncation: true }));`;
  }
  return `import { pipeline } from '@huggingface/transformers';

const extract = await pipeline('feature-extraction', '${name}', { dtype: 'fp32' }); // or 'q8', where it was exported
const vectors = await extract([${query}], { pooling: '${pooling === 'first' ? 'cls' : 'mean'}', normalize: ${normalize} });`;
}

function section(title: string, rows: (string | number | boolean)[][], header: string[]): string[] {
  return rows.length > 0 ? [`## ${title}`, table(header, rows)] : [];
}

function table(header: string[], rows: (string | number | boolean)[][]): string {
  const line = (cells: (string | number | boolean)[]): string => `| ${cells.map(escapeCell).join(' | ')} |`;
  return [line(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(line)].join('\n');
}

function escapeCell(cell: string | number | boolean): string {
  return String(cell)
    .replaceAll('|', '\\|')
    .replace(/\s*\n\s*/g, ' ');
}

function fence(language: string, code: string): string {
  return `\`\`\`${language}\n${code}\n\`\`\``;
}

const ANCE_CITATION = fence(
  'bibtex',
  `@inproceedings{xiong2021approximate,
  title     = {Approximate Nearest Neighbor Negative Contrastive Learning for Dense Text Retrieval},
  author    = {Lee Xiong and Chenyan Xiong and Ye Li and Kwok-Fung Tang and Jialin Liu and Paul N. Bennett and Junaid Ahmed and Arnold Overwijk},
  booktitle = {International Conference on Learning Representations},
  year      = {2021},
  url       = {https://openreview.net/forum?id=zeFrfgyZln}
}`,
);
