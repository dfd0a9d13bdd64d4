const ESC = '\x1b';
const SEQUENCES = new RegExp(`${ESC}\\[(\\d+)A|(${ESC}\\[J)|(${ESC}\\[\\d*m)|(\n)|([^${ESC}\n]+)|(.)`, 'g');

/** A terminal as far as the live view uses one: text over what is there, new lines, cursor up, erase below. */
export class FakeTerminal {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly screen: string[] = [''];
  /** Everything that was written, control sequences included. */
  raw = '';
  #row = 0;
  #column = 0;

  constructor({ isTTY = true, columns = 80 } = {}) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(text: string): boolean {
    this.raw += text;
    for (const [, up, below, colour, line, plain] of text.matchAll(SEQUENCES)) {
      if (up) this.#row -= Number(up);
      else if (below) this.#eraseBelow();
      else if (line) this.#newLine();
      else if (plain) this.#put(plain);
      else if (!colour) throw new Error(`unknown control sequence in ${JSON.stringify(text)}`);
    }
    return true;
  }

  #eraseBelow(): void {
    this.screen[this.#row] = this.screen[this.#row].slice(0, this.#column);
    this.screen.length = this.#row + 1;
  }

  #newLine(): void {
    this.#row++;
    this.#column = 0;
    this.screen[this.#row] ??= '';
  }

  #put(text: string): void {
    const line = this.screen[this.#row];
    this.screen[this.#row] = line.slice(0, this.#column) + text + line.slice(this.#column + text.length);
    this.#column += text.length;
  }
}
