import { stringify } from 'yaml';
import { beginnings, fence, history, type ModelCard, origin, table } from '../folder/model-card.js';

/** What a cross-encoder's card tells; of a {@link ModelCard} what does not speak of vectors. */
export type CrossEncoderCard = Pick<ModelCard, 'name' | 'maxSequenceLength'> & Partial<ModelCard>;

/** Renders a cross-encoder's README.md with the front matter that the Hugging Face hub reads. */
export function renderCrossEncoderCard(card: CrossEncoderCard): string {
  const frontMatter = {
    library_name: 'sentence-transformers',
    pipeline_tag: 'text-ranking',
    tags: ['sentence-transformers', 'cross-encoder', 'reranker', 'nearmiss'],
    ...origin(card),
  };
  const onWhat = card.datasets?.length ? `, trained on ${card.datasets.join(', ')}` : '';
  const sections = [
    `---\n${stringify(frontMatter, { lineWidth: 0 })}---`,
    `# ${card.name}`,
    `${card.name} is a cross-encoder${onWhat}. It reads a query and a document together and gives their score, to rerank what a faster search has found. Scores are logits: higher is more relevant.`,
    table(['', ''], [...beginnings(card), ['Longest pair', `${card.maxSequenceLength} tokens`]]),
    '## Use',
    usage(card.name),
    ...history(card),
  ];
  return `${sections.join('\n\n')}\n`;
}

function usage(name: string): string {
  return [
    'With nearmiss:',
    fence('sh', `nearmiss rerank bm25.trec --model ${name} --data data --out reranked.trec`),
    'With sentence-transformers:',
    fence(
      'python',
      `from sentence_transformers import CrossEncoder

model = CrossEncoder("${name}")
print(model.predict([("what is a near miss?", "A near miss is something that almost happened.")]))`,
    ),
    'With Transformers.js (needs an ONNX export in `onnx/`):',
    fence(
      'js',
      `import { AutoModelForSequenceClassification, AutoTokenizer } from '@huggingface/transformers';

const tokenizer = await AutoTokenizer.from_pretrained('${name}');
const model = await AutoModelForSequenceClassification.from_pretrained('${name}');
const text_pair = ['A near miss is something that almost happened.'];
const { logits } = await model(tokenizer(['what is a near miss?'], { text_pair, padding: true, truncation: true }));`,
    ),
  ].join('\n\n');
}
