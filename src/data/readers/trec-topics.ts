import { readLines } from '../../base/lines.js';
import type { Query } from '../dataset.js';
import { type OnProblem, RecordContext } from '../problem.js';
import type { Located, RecordSource } from '../sources.js';
import { BrokenLines } from './record-lines.js';

/** Which part of a topic is the query. */
export type TopicPart = 'title' | 'desc' | 'narr';

const FULL_NAMES = new Map<string, TopicPart>([
  ['title', 'title'],
  ['query', 'title'],
  ['desc', 'desc'],
  ['description', 'desc'],
  ['narr', 'narr'],
  ['narrative', 'narr'],
]);
const LABEL = /^\s*(?:Number|Topic|Description|Narrative)\s*:/i;
const MAX_TOPIC_LINES = 10_000;

/** How a topic begins. */
export const TOPIC = /<top(?:ic)?[\s>]/i;

/**
 * TREC topics in their classic form (`<top> <num> <title> <desc> <narr> </top>`, closing tags optional) or the later
 * one (`<topic number="1"> <query> <description> </topic>`). One part is the query; the others go to its metadata.
 */
export function trecTopics(file: string, part: TopicPart = 'title'): RecordSource<Query> {
  return { file, read: (onProblem) => readTopics(file, part, onProblem) };
}

async function* readTopics(
  file: string,
  part: TopicPart,
  onProblem: OnProblem,
): AsyncGenerator<Located<Query>> {
  let block: string[] | undefined;
  let start = 1;
  const broken = new BrokenLines(file, onProblem);
  for await (const { text, number } of readLines(file, broken)) {
    if (TOPIC.test(text)) {
      if (block) unclosed(new RecordContext(file, start, onProblem));
      block = [];
      start = number;
    }
    block?.push(text);
    if (block && block.length > MAX_TOPIC_LINES) {
      unclosed(new RecordContext(file, start, onProblem));
      block = undefined;
    }
    if (block && /<\/top(?:ic)?>/i.test(text)) {
      const value = broken.has(start, block.length)
        ? undefined
        : parseTopic(block.join('\n'), part, new RecordContext(file, start, onProblem));
      block = undefined;
      if (value) yield { value, file, line: start };
    }
  }
  if (block) unclosed(new RecordContext(file, start, onProblem));
}

function parseTopic(block: string, part: TopicPart, at: RecordContext): Query | undefined {
  const parts = new Map<TopicPart, string>();
  let id = /<topic[^>]*\b(?:number|id)\s*=\s*["']([^"']+)["']/i.exec(block)?.[1] ?? '';
  // A part reaches to the next tag: the classic files leave the closing tags out.
  for (const [, tag, content] of block.matchAll(/<([a-z]+)[^>]*>([^<]*)/gi)) {
    const text = content.replace(LABEL, '').replace(/\s+/g, ' ').trim();
    const name = FULL_NAMES.get(tag.toLowerCase());
    if (tag.toLowerCase() === 'num' || tag.toLowerCase() === 'number') id = text;
    else if (name) parts.set(name, text);
  }
  if (id === '') return at.error('missing-field', 'the topic has no number', { field: 'num' });
  const text = parts.get(part);
  if (!text) {
    return at.error('missing-field', `topic ${id} has none`, {
      field: part,
      hint: `it has: ${[...parts.keys()].join(', ') || 'nothing'}; choose with --topic-part`,
    });
  }
  parts.delete(part);
  return { id, text, ...(parts.size > 0 && { metadata: Object.fromEntries(parts) }) };
}

function unclosed(at: RecordContext): void {
  at.error('broken-topic', 'the topic is not closed', { hint: 'end it with </top>' });
}
