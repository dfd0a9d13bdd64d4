import { NearmissError } from '../../../base/errors.js';
import { type Dataset, fullText } from '../../../data/index.js';
import { Random } from '../../../engine/index.js';
import { TextStore } from '../../../negatives/text-store.js';
import { splitText } from '../../../text/split-text.js';

/** Words that fit a number of tokens in most languages; what is too long all the same loses its end. */
const WORDS_PER_TOKEN = 0.65;
/** As many held-out pieces as are worth the time to measure with. */
const MOST_HELD_OUT = 200;

/** The documents of a collection in pieces that an encoder reads whole; they wait in a temporary file. */
export interface TextPieces {
  /** How many there are to learn from. */
  readonly count: number;
  /** A piece to learn from. */
  at(piece: number): string;
  /** Some pieces of other documents. */
  readonly heldOut: readonly string[];
  close(): Promise<void>;
}

/** Cuts all documents into pieces of about so many tokens; a share of the documents is held out. */
export async function openTextPieces(
  dataset: Dataset,
  { tokens, heldOut: share, seed, task }: { tokens: number; heldOut: number; seed: number; task: string },
): Promise<TextPieces> {
  const heldOut: string[] = [];
  const maxWords = Math.max(1, Math.floor(tokens * WORDS_PER_TOKEN));
  async function* pieces(): AsyncGenerator<string> {
    let number = 0;
    let seen = 0;
    for await (const document of dataset.documents()) {
      const random = Random.from(seed, 'held-out pieces', number++);
      const isHeldOut = random.uniform() < share;
      for (const piece of splitText(fullText(document), { maxWords })) {
        if (!isHeldOut) {
          yield piece;
          continue;
        }
        seen++;
        const place = seen <= MOST_HELD_OUT ? seen - 1 : random.integer(seen);
        if (place < MOST_HELD_OUT) heldOut[place] = piece;
      }
    }
  }
  const store = await TextStore.create(pieces());
  if (store.size > 1) {
    return { count: store.size, at: store.get, heldOut, close: () => store.close() };
  }
  await store.close();
  throw new NearmissError(
    `${dataset.name}: ${task} needs two pieces of text or more to learn from, got ${store.size}`,
    { hint: 'give it more documents, or lower task.heldOut' },
  );
}
