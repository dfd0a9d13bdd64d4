/** A number of a JSON text that no double holds as it was written. */
export interface LostNumber {
  /** Names of fields and places in lists, from the outside in. */
  path: (string | number)[];
  /** As it stands in the text. */
  literal: string;
}

/** Only numbers like these can lose anything: sixteen digits in a row, or an exponent of three. */
const SUSPECT = /\d{16}|[eE][+-]?\d{3}/;

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WHOLE = /^-?\d+$/;
const NOT_ZERO = /^[-0.]*[1-9]/;

/**
 * Finds the first number of a valid JSON text that `JSON.parse` changes: one too large for a double becomes infinity
 * (and `null` when it is written again), one too small becomes 0, a whole number beyond ±2⁵³ may get other digits.
 * Fractions with more digits than a double has are measurements and count as kept.
 *
 * @example
 * findLostNumber('{"sku": [1, 9007199254740993]}'); // { path: ['sku', 1], literal: '9007199254740993' }
 */
export function findLostNumber(text: string): LostNumber | undefined {
  return SUSPECT.test(text) ? new NumberSearch(text).run() : undefined;
}

/** Follows the structure of a text that is known to be valid. */
class NumberSearch {
  readonly #text: string;
  readonly #path: (string | number)[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  run(): LostNumber | undefined {
    for (; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at];
      if (character === '"') this.#string();
      else if (character === '[') this.#path.push(0);
      else if (character === '{') this.#path.push('');
      else if (character === ']' || character === '}') this.#path.pop();
      else if (character === ',') this.#next();
      else if (character === '-' || (character >= '0' && character <= '9')) {
        const literal = this.#number();
        if (isLost(literal)) return { path: this.#path, literal };
      }
    }
    return undefined;
  }

  /** A comma leads to the next place of a list, or to the next field, which says its name itself. */
  #next(): void {
    const inner = this.#path[this.#path.length - 1];
    if (typeof inner === 'number') this.#path[this.#path.length - 1] = inner + 1;
  }

  /** Leaves the place at the closing quotation mark; a string before a colon is the name of a field. */
  #string(): void {
    const start = this.#at;
    do this.#at = this.#text.indexOf('"', this.#at + 1);
    while (this.#isEscaped());
    let next = this.#at + 1;
    while (/\s/.test(this.#text[next] ?? '')) next++;
    if (this.#text[next] !== ':') return;
    this.#path[this.#path.length - 1] = JSON.parse(this.#text.slice(start, this.#at + 1));
  }

  #isEscaped(): boolean {
    let backslashes = 0;
    while (this.#text[this.#at - backslashes - 1] === '\\') backslashes++;
    return backslashes % 2 === 1;
  }

  /** Leaves the place at the last digit. */
  #number(): string {
    NUMBER.lastIndex = this.#at;
    const [literal] = NUMBER.exec(this.#text)!;
    this.#at += literal.length - 1;
    return literal;
  }
}

function isLost(literal: string): boolean {
  const value = Number(literal);
  // Beyond 2⁵³ some are kept all the same: 2⁵⁴ is, 2⁵³ + 1 is not.
  if (WHOLE.test(literal)) return !Number.isSafeInteger(value) && String(value) !== literal;
  return !Number.isFinite(value) || (value === 0 && NOT_ZERO.test(literal));
}
