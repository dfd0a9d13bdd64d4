import { type AnyModelCard, renderCard, TRANSFORMERS_JS } from '../folder/model-card.js';

/** Renders the card of a cross-encoder. */
export function renderCrossEncoderCard(card: AnyModelCard): string {
  const { name, datasets, maxSequenceLength } = card;
  const onWhat = datasets?.length ? `, trained on ${datasets.join(', ')}` : '';
  return renderCard(card, {
    pipelineTag: 'text-ranking',
    tags: ['cross-encoder', 'reranker', 'nearmiss'],
    introduction: `${name} is a cross-encoder${onWhat}. It reads a query and a document together and gives their score, to rerank what a faster search has found. Scores are logits: higher is more relevant.`,
    facts: [['Longest pair', `${maxSequenceLength} tokens`]],
    usage: [
      {
        tool: 'nearmiss',
        language: 'sh',
        code: `nearmiss rerank bm25.trec --model ${name} --data data --out reranked.trec`,
      },
      {
        tool: 'sentence-transformers',
        language: 'python',
        code: `from sentence_transformers import CrossEncoder

model = CrossEncoder("${name}")
print(model.predict([("what is a near miss?", "A near miss is something that almost happened.")]))`,
      },
      {
        tool: TRANSFORMERS_JS,
        language: 'js',
        code: `import { AutoModelForSequenceClassification, AutoTokenizer } from '@huggingface/transformers';

const tokenizer = await AutoTokenizer.from_pretrained('${name}');
const model = await AutoModelForSequenceClassification.from_pretrained('${name}');
const text_pair = ['A near miss is something that almost happened.'];
const { logits } = await model(tokenizer(['what is a near miss?'], { text_pair, padding: true, truncation: true }));`,
      },
    ],
  });
}
