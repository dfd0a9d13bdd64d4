/** A passage and a query that it answers, to show what is wanted. */
export interface Example {
  passage: string;
  query: string;
}

const PROMPT = `Write {count} different search queries that people would type to find the passage below. Use words of your own where people would. One query a line, nothing else.
{examples}
Passage: {passage}
Queries:`;

/** What a language model is asked. */
export function renderPrompt(
  passage: string,
  {
    prompt = PROMPT,
    count,
    examples = [],
  }: { prompt?: string; count: number; examples?: readonly Example[] },
): string {
  const shown = examples
    .map((example) => `\nPassage: ${example.passage}\nQueries:\n${example.query}\n`)
    .join('');
  const values: Record<string, string> = { count: String(count), examples: shown, passage };
  // In one pass, so that braces in a passage stay as they are.
  return prompt.replace(/\{(count|examples|passage)\}/g, (_, name: string) => values[name]);
}

const FENCE = /^```\w*$/;
/** Numbers, bullets and quotation marks around a query. */
const DECORATION = /^(?:\d+[.):]\s+|[-*•]\s+)?["“]?(.*?)["”]?$/;

/** The queries in a model's answer: a line each, or a JSON array of them. */
export function queriesIn(answer: string): string[] {
  const text = answer.trim();
  try {
    const parsed: unknown = JSON.parse(text);
    if (Array.isArray(parsed)) return parsed.filter((query) => typeof query === 'string');
  } catch {
    // Not JSON: lines.
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !FENCE.test(line) && !/^(queries|here (are|is)\b.*):$/i.test(line))
    .map((line) => DECORATION.exec(line)?.[1] ?? line);
}
