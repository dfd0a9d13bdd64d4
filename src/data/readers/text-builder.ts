/** White space owed before the next text; of several demands the strongest counts. */
export type Gap = '' | ' ' | '\n' | '\n\n';

const STRENGTH: Record<Gap, number> = { '': 0, ' ': 1, '\n': 2, '\n\n': 3 };

/** Puts plain text together from the pieces of a marked-up document, with clean white space. */
export class TextBuilder {
  readonly #parts: string[] = [];
  #gap: Gap = '';

  /** Adds text in which any run of white space counts as one space. */
  add(text: string): void {
    const core = text.trim();
    if (core !== text.trimEnd() || core === '') this.separate(text === '' ? '' : ' ');
    if (core === '') return;
    this.#push(core.replace(/\s+/g, ' '));
    if (core !== text.trimStart()) this.separate(' ');
  }

  /** Adds text as it is, e.g. a program. */
  addVerbatim(text: string): void {
    this.#push(text);
  }

  /** Asks for a gap before what comes next. */
  separate(gap: Gap): void {
    if (STRENGTH[gap] > STRENGTH[this.#gap]) this.#gap = gap;
  }

  toString(): string {
    return this.#parts.join('');
  }

  #push(text: string): void {
    if (this.#parts.length > 0) this.#parts.push(this.#gap);
    this.#parts.push(text);
    this.#gap = '';
  }
}
