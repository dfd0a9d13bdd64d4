import type { IndexWriter } from '../index-writer.js';
import { ByteReader } from './byte-reader.js';
import type { RunFiles } from './postings-buffer.js';

/** Terms merged between two pauses, in which a server's other work gets its turn. */
const TERMS_PER_TURN = 20_000;

/**
 * Merges sorted runs into one index. Runs hold successive stretches of documents, so a term's list is the
 * concatenation of its lists in the runs; memory is a buffer for each run.
 *
 * @returns for each run, the index's number of each of its terms
 */
export async function mergeRuns(
  runs: RunFiles[],
  writer: IndexWriter,
  options: { bufferBytes: number },
): Promise<Int32Array[]> {
  const heads = runs.map((run, number) => new RunHead(run, number, options.bufferBytes));
  try {
    const heap = heads.filter((head) => head.next());
    for (let i = (heap.length >> 1) - 1; i >= 0; i--) sink(heap, i);
    for (let terms = 1; heap.length > 0; terms++) {
      const { term } = heap[0];
      const number = writer.startTerm(term);
      while (heap.length > 0 && heap[0].term === term) {
        heap[0].copyList(writer, number);
        if (!heap[0].next()) removeFirst(heap);
        sink(heap, 0);
      }
      writer.endTerm();
      if (terms % TERMS_PER_TURN === 0) await new Promise(setImmediate);
    }
    return heads.map((head) => head.numbers);
  } finally {
    for (const head of heads) head.close();
  }
}

/** Where a run is being read. */
class RunHead {
  term = '';
  readonly run: number;
  readonly numbers: Int32Array;
  readonly #reader: ByteReader;
  #read = 0;

  constructor(run: RunFiles, number: number, bufferBytes: number) {
    this.run = number;
    this.numbers = new Int32Array(run.terms);
    this.#reader = new ByteReader(run.lists, bufferBytes);
  }

  /** Goes to the next term; false where there is none. */
  next(): boolean {
    if (this.#read === this.numbers.length) return false;
    this.term = this.#reader.text(this.#reader.varint());
    return true;
  }

  copyList(writer: IndexWriter, number: number): void {
    this.numbers[this.#read++] = number;
    let document = 0;
    for (let left = this.#reader.varint(); left > 0; left--) {
      document += this.#reader.varint();
      writer.add(document, this.#reader.varint());
    }
  }

  comesBefore(other: RunHead): boolean {
    return this.term < other.term || (this.term === other.term && this.run < other.run);
  }

  close(): void {
    this.#reader.close();
  }
}

function removeFirst(heap: RunHead[]): void {
  const last = heap.pop()!;
  if (heap.length > 0) heap[0] = last;
}

function sink(heap: RunHead[], from: number): void {
  for (let at = from; ; ) {
    let least = at;
    for (const child of [2 * at + 1, 2 * at + 2]) {
      if (child < heap.length && heap[child].comesBefore(heap[least])) least = child;
    }
    if (least === at) return;
    [heap[at], heap[least]] = [heap[least], heap[at]];
    at = least;
  }
}
