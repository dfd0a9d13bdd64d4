import type { Tokenizer } from './tokenizer.js';

/** How a vocabulary tells where words start: WordPiece marks what goes on, the others what begins. */
const MARKS = [
  { sign: '##', marks: 'rest' },
  { sign: 'Ġ', marks: 'start' },
  { sign: '▁', marks: 'start' },
] as const;

/** A word of a text, and which of its tokens it begins with. */
export interface PieceWord {
  text: string;
  first: number;
}

/**
 * Puts tokens together to words: `near`, `##miss` is one. What a tokenizer took away (case, accents, blanks) stays away;
 * special tokens belong to no word.
 */
export class PieceWords {
  readonly #tokenizer: Tokenizer;
  readonly #special: ReadonlySet<number>;
  readonly #mark: (typeof MARKS)[number] | undefined;
  readonly #known = new Map<number, { text: string; starts: boolean }>();

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
    this.#special = new Set(Object.values(tokenizer.specialTokens).map(({ id }) => id));
    this.#mark = MARKS.find(({ sign }) => hasSign(tokenizer, sign));
  }

  isSpecial(id: number): boolean {
    return this.#special.has(id);
  }

  of(ids: ArrayLike<number>): PieceWord[] {
    const words: { pieces: string[]; first: number }[] = [];
    let inside = false;
    for (let token = 0; token < ids.length; token++) {
      if (this.isSpecial(ids[token])) {
        inside = false;
        continue;
      }
      const { text, starts } = this.#piece(ids[token]);
      if (starts || !inside) words.push({ pieces: [], first: token });
      words[words.length - 1].pieces.push(text);
      inside = true;
    }
    return words.map(({ pieces, first }) => ({ text: this.#plain(pieces.join('')), first }));
  }

  #piece(id: number): { text: string; starts: boolean } {
    const known = this.#known.get(id);
    if (known) return known;
    const token = this.#tokenizer.token(id) ?? '';
    const { sign = '', marks } = this.#mark ?? {};
    const marked = sign !== '' && token.startsWith(sign);
    const piece = {
      text: marked ? token.slice(sign.length) : token,
      starts: marks === 'rest' ? !marked : marks === 'start' ? marked : true,
    };
    this.#known.set(id, piece);
    return piece;
  }

  /** Byte-level vocabularies write bytes as letters. */
  #plain(text: string): string {
    if (this.#mark?.sign !== 'Ġ') return text;
    return Buffer.from(Array.from(text, (letter) => BYTE_OF.get(letter) ?? 0x3f)).toString('utf8');
  }
}

function hasSign(tokenizer: Tokenizer, sign: string): boolean {
  // Every vocabulary of a kind has a few of the commonest pieces; asking for them is cheaper than reading all.
  return ['s', 'e', 'ing', 'a', 't', 'the', 'n', 'i'].some(
    (piece) => tokenizer.id(sign + piece) !== undefined,
  );
}

/** GPT-2's table: bytes that print stand for themselves, the others for letters from U+0100 on. */
const BYTE_OF = new Map<string, number>();
for (let byte = 0, next = 0x100; byte < 256; byte++) {
  const prints = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
  BYTE_OF.set(String.fromCodePoint(prints ? byte : next++), byte);
}
