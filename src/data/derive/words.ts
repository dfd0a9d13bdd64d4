/**
 * Counts words: runs of anything but white space, and each Han or kana character for itself, since those scripts
 * write no blanks.
 */
export function countWords(text: string): number {
  let words = 0;
  let inWord = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isIdeograph(code)) {
      words++;
      inWord = false;
    } else if (isSpace(code)) inWord = false;
    else if (!inWord) {
      words++;
      inWord = true;
    }
  }
  return words;
}

function isSpace(code: number): boolean {
  return (
    code <= 0x20 || code === 0xa0 || code === 0x3000 || (code >= 0x2000 && code <= 0x200b) || code === 0x2028
  );
}

function isIdeograph(code: number): boolean {
  return (
    (code >= 0x3040 && code <= 0x30ff) ||
    (code >= 0x3400 && code <= 0x9fff) ||
    (code >= 0xf900 && code <= 0xfaff)
  );
}
