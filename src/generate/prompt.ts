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
/** What reasoning models say before they answer; where they came to no end, all of it. */
const THOUGHTS = /^.*<\/think(?:ing)?>|^\s*<think(?:ing)?>.*/is;
/** JSON that begins a line, whatever stands around it. */
const JSON_PART = /^[[{].*[\]}]/ms;
/** Brackets and the like, which are left of JSON that does not end, are no query. */
const WORD = /[\p{L}\p{N}]/u;
const BOLD = /\*\*(.+?)\*\*/g;
/** Numbers, bullets, quotation marks and commas around a query. */
const DECORATION = /^(?:\d+[.):]\s+|[-*•]\s+)?["“]?(.*?)["”]?,?$/;
/** Lines that are about the queries, or say that there will be none. */
const TALK =
  /^(?:queries:|(?:sure|certainly|of course|okay|ok|here (?:are|is))\b.*[:!.]|(?:i['’]m|i am|we['’]re) (?:sorry|unable)\b.*|sorry[,.].*|i (?:cannot|can['’]t|can not)\b.*|as an ai\b.*)$/i;

/**
 * The queries in a model's answer: a line each, or JSON.
 *
 * @param options.cut whether the answer ended in the middle of what it was to say
 */
export function queriesIn(answer: string, { cut = false }: { cut?: boolean } = {}): string[] {
  const text = answer.replace(THOUGHTS, '').replace(FENCE, '').trim();
  const inJson = textsIn(text) ?? textsIn(JSON_PART.exec(text)?.[0] ?? '');
  if (inJson) return inJson;
  return text
    .split('\n')
    .slice(0, cut ? -1 : undefined)
    .map((line) => line.replace(BOLD, '$1').trim())
    .filter((line) => !TALK.test(line))
    .map((line) => DECORATION.exec(line)?.[1] ?? line)
    .filter((line) => WORD.test(line));
}

/** Texts in JSON; undefined where it is none. */
function textsIn(text: string): string[] | undefined {
  try {
    return textsOf(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Texts in an array, in an object of arrays (`{"queries": […]}`), or in an array of objects (`[{"query": "…"}]`). */
function textsOf(parsed: unknown): string[] {
  if (typeof parsed === 'string') return [parsed];
  return typeof parsed === 'object' && parsed !== null ? Object.values(parsed).flatMap(textsOf) : [];
}
