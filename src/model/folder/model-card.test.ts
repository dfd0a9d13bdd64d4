import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { type ModelCard, renderModelCard } from './model-card.js';

const card: ModelCard = {
  name: 'scifact-ance',
  baseModel: 'sentence-transformers/all-MiniLM-L6-v2',
  license: 'apache-2.0',
  languages: ['en'],
  datasets: ['scifact'],
  maxSequenceLength: 256,
  dimension: 384,
  similarity: 'cosine',
  pooling: 'mean',
  normalize: true,
  prompts: { query: 'query: ' },
  recipe: { loss: 'nll | pairwise', batchSize: 32, learningRate: 5e-5 },
  measures: [
    { dataset: 'scifact', split: 'test', measure: 'nDCG@10', value: 0.64512 },
    { dataset: 'scifact', split: 'test', measure: 'R@100', value: 0.9 },
  ],
  versions: { nearmiss: '0.1.0' },
  ance: true,
};

function frontMatter(text: string): Record<string, unknown> {
  return parse(/^---\n([\s\S]*?)\n---\n/.exec(text)![1]);
}

test('the front matter is what the hub reads', () => {
  expect(frontMatter(renderModelCard(card))).toEqual({
    library_name: 'sentence-transformers',
    pipeline_tag: 'sentence-similarity',
    tags: [
      'sentence-transformers',
      'sentence-similarity',
      'feature-extraction',
      'dense-retrieval',
      'nearmiss',
      'ance',
    ],
    base_model: 'sentence-transformers/all-MiniLM-L6-v2',
    license: 'apache-2.0',
    language: ['en'],
    datasets: ['scifact'],
    'model-index': [
      {
        name: 'scifact-ance',
        results: [
          {
            task: { type: 'text-retrieval', name: 'Retrieval' },
            dataset: { name: 'scifact', type: 'scifact', split: 'test' },
            metrics: [
              { type: 'nDCG@10', value: 0.64512, name: 'nDCG@10' },
              { type: 'R@100', value: 0.9, name: 'R@100' },
            ],
          },
        ],
      },
    ],
  });
});

test('the text tells base model, sizes, recipe, measures, versions and citation', () => {
  const text = renderModelCard(card);
  for (const line of [
    'scifact-ance is a dense text retriever, trained on scifact with ANCE: ',
    '| Base model | sentence-transformers/all-MiniLM-L6-v2 |',
    '| Longest input | 256 tokens |',
    '| Dimension | 384 |',
    '| Similarity | cosine |',
    '| Prompt (query) | `query: ` |',
    '| loss | nll \\| pairwise |',
    '| learningRate | 0.00005 |',
    '| scifact | test | nDCG@10 | 0.6451 |',
    '| nearmiss | 0.1.0 |',
    'print(util.cos_sim(query, passage))',
    "{ pooling: 'mean', normalize: true }",
    '@inproceedings{xiong2021approximate,',
  ]) {
    expect(text).toContain(line);
  }
  expect(text).toContain('query = model.encode("query: what is a near miss?")');
});

test('what is not known is left out, and a projection is read from the export', () => {
  const { name, maxSequenceLength, dimension } = card;
  const text = renderModelCard({
    name,
    maxSequenceLength,
    dimension,
    similarity: 'dot',
    pooling: 'first',
    normalize: false,
    projection: true,
  });
  expect(text).not.toMatch(/## (Training|Evaluation|Versions|Citation)|undefined/);
  expect(frontMatter(text)).not.toHaveProperty('base_model');
  expect(text).toContain('util.dot_score');
  expect(text).toContain('const { sentence_embedding } = await model(');
});
