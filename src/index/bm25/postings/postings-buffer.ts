import { type Analyzer, CodeUnitBuffer, TokenSpans } from '../../../text/analyzers/index.js';
import { MAX_FREQUENCY } from '../layout.js';
import { NO_TERM, TokenTable } from '../token-table.js';
import { ByteWriter } from './byte-writer.js';

/** Term and frequency as collected, document and frequency as sorted: four bytes each. */
const BYTES_PER_POSTING = 16;

/** The files of one sorted run. */
export interface RunFiles {
  /** For each term in order: its text, how many documents, and (document gap, frequency) pairs. */
  lists: string;
  /** For each document: how many terms, and (the term's place in `lists`, frequency) pairs. */
  vectors: string | undefined;
  terms: number;
  documents: number;
}

/**
 * The postings of a stretch of documents, collected document by document in memory and written as one run that
 * is sorted by term (a counting sort: nothing is compared but the terms themselves).
 */
export class PostingsBuffer {
  readonly firstDocument: number;
  readonly #analyzer: Analyzer;
  readonly #tokens: TokenTable;
  readonly #units = new CodeUnitBuffer();
  readonly #spans = new TokenSpans();
  readonly #documentEnds: number[] = [];
  #terms = new Int32Array(1 << 16);
  #frequencies = new Int32Array(1 << 16);
  #used = 0;
  /** How often each term occurs in the document at hand; all zero between documents. */
  #counts = new Int32Array(1 << 12);
  #distinct = new Int32Array(1 << 10);

  constructor(analyzer: Analyzer, firstDocument: number) {
    this.#analyzer = analyzer;
    this.#tokens = new TokenTable(analyzer);
    this.firstDocument = firstDocument;
  }

  get documents(): number {
    return this.#documentEnds.length;
  }

  /** About how much memory it takes, including what sorting will. */
  get bytes(): number {
    return BYTES_PER_POSTING * this.#used + 8 * this.documents + this.#tokens.bytes;
  }

  /** Adds the next document and returns its length in terms. */
  add(text: string): number {
    const prepared = this.#analyzer.prepare(text);
    const spans = this.#spans;
    const units = this.#units.read(prepared);
    this.#analyzer.findTokens(units, spans);
    if (spans.count > this.#distinct.length) this.#distinct = new Int32Array(2 * spans.count);
    let length = 0;
    let distinct = 0;
    for (let i = 0; i < spans.count; i++) {
      const term = this.#tokens.numberOf(units, spans.starts[i], spans.ends[i]);
      if (term === NO_TERM) continue;
      if (term >= this.#counts.length) this.#counts = grown(this.#counts, term + 1);
      length++;
      if (this.#counts[term]++ === 0) this.#distinct[distinct++] = term;
    }
    this.#append(distinct);
    return length;
  }

  /** Adds the next document by its terms and how much each weighs there, and returns their sum. */
  addWeighted(weights: ReadonlyMap<string, number>): number {
    if (weights.size > this.#distinct.length) this.#distinct = new Int32Array(2 * weights.size);
    let length = 0;
    let distinct = 0;
    for (const [text, weight] of weights) {
      const term = this.#tokens.numberOfTerm(text);
      if (term >= this.#counts.length) this.#counts = grown(this.#counts, term + 1);
      this.#counts[term] = weight;
      this.#distinct[distinct++] = term;
      length += weight;
    }
    this.#append(distinct);
    return length;
  }

  /** Writes the run and returns its files; the buffer is of no use afterwards. */
  write(path: string, options: { vectors: boolean }): RunFiles {
    const { terms } = this.#tokens;
    const order = Int32Array.from(terms, (_, number) => number);
    order.sort((a, b) => (terms[a] < terms[b] ? -1 : 1));
    const vectors = options.vectors ? `${path}.vectors` : undefined;
    if (vectors) this.#writeVectors(vectors, order);
    this.#writeLists(path, order);
    return { lists: path, vectors, terms: terms.length, documents: this.documents };
  }

  #append(distinct: number): void {
    if (this.#used + distinct > this.#terms.length) {
      this.#terms = grown(this.#terms, this.#used + distinct);
      this.#frequencies = grown(this.#frequencies, this.#used + distinct);
    }
    for (let i = 0; i < distinct; i++) {
      const term = this.#distinct[i];
      this.#terms[this.#used] = term;
      this.#frequencies[this.#used++] = Math.min(this.#counts[term], MAX_FREQUENCY);
      this.#counts[term] = 0;
    }
    this.#documentEnds.push(this.#used);
  }

  #writeLists(path: string, order: Int32Array): void {
    const { terms } = this.#tokens;
    const { ends, documents, frequencies } = this.#sortByTerm(order);
    const out = new ByteWriter(path);
    let posting = 0;
    for (const term of order) {
      out.varint(Buffer.byteLength(terms[term]));
      out.text(terms[term]);
      const end = ends[term];
      out.varint(end - posting);
      for (let previous = 0; posting < end; posting++) {
        out.varint(documents[posting] - previous);
        out.varint(frequencies[posting]);
        previous = documents[posting];
      }
    }
    out.close();
  }

  /** Postings by term in `order`, then by document; `ends[term]` is where a term's postings end. */
  #sortByTerm(order: Int32Array): { ends: Int32Array; documents: Int32Array; frequencies: Int32Array } {
    const ends = new Int32Array(order.length);
    for (let i = 0; i < this.#used; i++) ends[this.#terms[i]]++;
    let start = 0;
    for (const term of order) {
      const count = ends[term];
      ends[term] = start;
      start += count;
    }
    const documents = new Int32Array(this.#used);
    const frequencies = new Int32Array(this.#used);
    for (let document = 0, i = 0; document < this.documents; document++) {
      for (; i < this.#documentEnds[document]; i++) {
        const place = ends[this.#terms[i]]++;
        documents[place] = this.firstDocument + document;
        frequencies[place] = this.#frequencies[i];
      }
    }
    return { ends, documents, frequencies };
  }

  #writeVectors(path: string, order: Int32Array): void {
    const places = new Int32Array(order.length);
    for (let place = 0; place < order.length; place++) places[order[place]] = place;
    const out = new ByteWriter(path);
    let i = 0;
    for (const end of this.#documentEnds) {
      out.varint(end - i);
      for (; i < end; i++) {
        out.varint(places[this.#terms[i]]);
        out.varint(this.#frequencies[i]);
      }
    }
    out.close();
  }
}

function grown(array: Int32Array<ArrayBuffer>, atLeast: number): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(Math.max(atLeast, 2 * array.length));
  copy.set(array);
  return copy;
}
