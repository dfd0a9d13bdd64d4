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

  /** Adds text whose lines and indentation are kept, as in a program. */
  addPreformatted(text: string): void {
    const core = text.trimEnd();
    if (core !== '') {
      const firstLine = core.slice(0, core.length - core.trimStart().length).lastIndexOf('\n') + 1;
      if (firstLine > 0) this.separate('\n');
      this.#push(core.slice(firstLine));
    }
    const rest = text.slice(core.length);
    if (rest !== '') this.separate(rest.includes('\n') ? '\n' : ' ');
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
