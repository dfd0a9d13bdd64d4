/** A stretch of a text that is prose, or code between two marks of Markdown; the marks belong to neither. */
export interface TextBlock {
  isCode: boolean;
  start: number;
  end: number;
}

const FENCE = /^```/;

/** The prose and the code of a text, in its order. */
export function textBlocks(text: string): TextBlock[] {
  const blocks: TextBlock[] = [];
  let isCode = false;
  let start = 0;
  let at = 0;
  const close = (end: number): void => {
    if (text.slice(start, end).trim() !== '') blocks.push({ isCode, start, end });
  };
  for (const line of text.split('\n')) {
    const next = Math.min(text.length, at + line.length + 1);
    if (FENCE.test(line)) {
      close(Math.max(start, at - 1));
      isCode = !isCode;
      start = next;
    }
    at = next;
  }
  close(text.length);
  return blocks;
}
