/** Among these are all that do not stay as they are: the two lowest units, and those from the surrogates on. */
const OTHERS = /[^ -\ud7ff]/;
const SURROGATES = 0xd800;
const ABOVE = 0x10000;

/**
 * A text that PostgreSQL can keep and whose order by code points is the order of the given one by UTF-16 code units, as filters compare:
 * the units from the surrogates on become code points above them, so that they keep their places; NUL, which no text there may
 * have, becomes two. Different texts stay different.
 */
export function orderedText(text: string): string {
  if (!OTHERS.test(text)) return text;
  let ordered = '';
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 2) ordered += `\u0001${String.fromCharCode(unit + 1)}`;
    else ordered += String.fromCodePoint(unit < SURROGATES ? unit : ABOVE + unit - SURROGATES);
  }
  return ordered;
}
