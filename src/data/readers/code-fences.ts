const FENCE = '```';
const FENCE_LINE = /^```(.*)$/;

/** Code as Markdown writes it, so that whoever shows the text can tell it from prose. */
export function fenced(code: string, language = ''): string {
  // Blank lines around it say nothing; the indentation of its first line does.
  const lines = code.replace(/^(?:[^\S\n]*\n)+/, '').trimEnd();
  return lines === '' ? '' : `${FENCE}${language}\n${lines}\n${FENCE}`;
}

/** Where a text was cut within code, the code ends in one passage and begins again in the next. */
export function closeFences(passages: readonly string[]): string[] {
  let open: string | undefined;
  return passages.map((passage) => {
    const begun = open === undefined ? '' : `${FENCE}${open}\n`;
    for (const line of passage.split('\n')) {
      const [, language] = FENCE_LINE.exec(line) ?? [];
      if (language !== undefined) open = open === undefined ? language : undefined;
    }
    return `${begun}${passage}${open === undefined ? '' : `\n${FENCE}`}`;
  });
}

/** The lines of a text, and whether each is code: the fences around it are, too. */
export function* linesOf(text: string): Generator<{ line: string; isCode: boolean }> {
  let isOpen = false;
  for (const line of text.split('\n')) {
    const isFence = FENCE_LINE.test(line);
    yield { line, isCode: isOpen || isFence };
    if (isFence) isOpen = !isOpen;
  }
}
