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

const FENCE = /^```\w*$/gm;
/** What reasoning models say before they answer. */
const THOUGHTS = /^.*<\/think(?:ing)?>/is;
/** Numbers, bullets and quotation marks around a query. */
const DECORATION = /^(?:\d+[.):]\s+|[-*•]\s+)?["“]?(.*?)["”]?$/;
/** Lines that are about the queries, or say that there will be none. */
const TALK =
  /^(?:queries:|(?:sure|certainly|of course|okay|ok|here (?:are|is))\b.*[:!.]|(?:i['’]m|i am|we['’]re) (?:sorry|unable)\b.*|sorry[,.].*|i (?:cannot|can['’]t|can not)\b.*|as an ai\b.*)$/i;

/** The queries in a model's answer: a line each, or JSON. */
export function queriesIn(answer: string): string[] {
  const text = answer.replace(THOUGHTS, '').replace(FENCE, '').trim();
  try {
    return textsIn(JSON.parse(text));
  } catch {
    // Not JSON: lines.
  }
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !TALK.test(line))
    .map((line) => DECORATION.exec(line)?.[1] ?? line);
}

/** Texts in an array, in an object of arrays (`{"queries": […]}`), or in an array of objects (`[{"query": "…"}]`). */
function textsIn(parsed: unknown): string[] {
  if (typeof parsed === 'string') return [parsed];
  return typeof parsed === 'object' && parsed !== null ? Object.values(parsed).flatMap(textsIn) : [];
}
