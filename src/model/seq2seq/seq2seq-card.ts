import { type AnyModelCard, renderCard } from '../folder/model-card.js';

const CLASSES: Record<string, string> = { t5: 'AutoModelForSeq2SeqLM', bert2rnd: 'EncoderDecoderModel' };

/** Renders the card of a model that reads a text and writes another. */
export function renderSeq2SeqCard(card: AnyModelCard, family: string): string {
  const { name, datasets, maxSequenceLength } = card;
  const onWhat = datasets?.length ? `, trained on ${datasets.join(', ')}` : '';
  const loader = CLASSES[family];
  return renderCard(card, {
    library: 'transformers',
    pipelineTag: 'text2text-generation',
    tags: ['doc2query', 'query-generation', 'nearmiss'],
    introduction: `${name} writes queries that a passage answers${onWhat}: to find passages by words that they do not have, and to train retrievers without labels.`,
    facts: [['Longest passage', `${maxSequenceLength} tokens`]],
    usage: [
      {
        tool: 'nearmiss',
        language: 'sh',
        code: `nearmiss generate data --generator ${name} --count 5 --out queries.jsonl`,
      },
      {
        tool: 'Transformers',
        language: 'python',
        code: `from transformers import AutoTokenizer, ${loader}

tokenizer = AutoTokenizer.from_pretrained("${name}")
model = ${loader}.from_pretrained("${name}")
passage = tokenizer("A near miss is something that almost happened.", return_tensors="pt")
queries = model.generate(**passage, do_sample=True, top_k=10, max_length=64, num_return_sequences=5)
print(tokenizer.batch_decode(queries, skip_special_tokens=True))`,
      },
    ],
  });
}
