import { sentenceSpans, type TextSpan } from './sentences.js';

/** Code as Markdown writes it, and as readers of folders keep it. */
const CODE = /```[\s\S]*?(?:```|$)/g;

/** The sentences of a text, those of programs in it left out. */
export function proseSpans(text: string): TextSpan[] {
  return sentenceSpans(text.replace(CODE, (code) => '\n'.repeat(code.length)));
}
