import type { Encoding, Tokenizer as NativeTokenizer } from 'tokenizers';

/** Special tokens in a row, with the segment each belongs to. */
interface Specials {
  ids: number[];
  typeIds: number[];
}

/** Where a tokenizer puts special tokens around one text. */
export interface SingleTemplate {
  before: Specials;
  after: Specials;
}

/** Where it puts them around and between two. */
export interface PairTemplate extends SingleTemplate {
  between: Specials;
  /** The segment of the tokens of the first and of the second text. */
  firstType: number;
  secondType: number;
}

export interface Templates {
  single: SingleTemplate;
  pair: PairTemplate;
}

/**
 * Learns a tokenizer's templates by encoding `probe`. Applying them ourselves leaves the native tokenizer
 * without state: its own truncation is a setting that concurrent calls with other lengths would change.
 */
export async function probeTemplates(tokenizer: NativeTokenizer, probe: string): Promise<Templates> {
  const single = await tokenizer.encode(probe);
  const pair = await tokenizer.encode(probe, probe);
  const singleOwners = single.getSequenceIds();
  const owners = pair.getSequenceIds();
  const [first, firstEnd] = span(singleOwners, 0);
  const [a, aEnd] = span(owners, 0);
  const [b, bEnd] = span(owners, 1);
  return {
    single: { before: slice(single, 0, first), after: slice(single, firstEnd) },
    pair: {
      before: slice(pair, 0, a),
      between: slice(pair, aEnd, b),
      after: slice(pair, bEnd),
      firstType: pair.getTypeIds()[a] ?? 0,
      secondType: pair.getTypeIds()[b] ?? 0,
    },
  };
}

/** How many special tokens a template adds. */
export function specialCount(template: SingleTemplate | PairTemplate): number {
  const between = 'between' in template ? template.between.ids.length : 0;
  return template.before.ids.length + between + template.after.ids.length;
}

/**
 * How many tokens of two texts fit into `room`: the longer one is cut first, then both to the same length, where
 * an odd token goes to the longer one, or to the second (`longest_first` of Hugging Face, except that texts which are
 * both longer than all the room count as equally long).
 */
export function truncatePair(
  { first, second }: { first: number; second: number },
  room: number,
): [first: number, second: number] {
  if (first + second <= room) return [first, second];
  const small = Math.min(first, second, Math.floor(room / 2));
  return first <= second ? [small, room - small] : [room - small, small];
}

/** Two texts' bare tokens as a cross-encoder reads them: special tokens around and between, cut to `room` tokens. */
export function joinPair(
  { before, between, after, firstType, secondType }: PairTemplate,
  texts: { first: ArrayLike<number>; second: ArrayLike<number> },
  room: number,
): { ids: Int32Array; typeIds: Uint8Array } {
  const [first, second] = truncatePair({ first: texts.first.length, second: texts.second.length }, room);
  const special = before.ids.length + between.ids.length + after.ids.length;
  const ids = new Int32Array(special + first + second);
  const typeIds = new Uint8Array(ids.length);
  let end = 0;
  const add = (tokens: ArrayLike<number>, count: number, typeOf: (token: number) => number): void => {
    for (let i = 0; i < count; i++, end++) {
      ids[end] = tokens[i];
      typeIds[end] = typeOf(i);
    }
  };
  add(before.ids, before.ids.length, (i) => before.typeIds[i]);
  add(texts.first, first, () => firstType);
  add(between.ids, between.ids.length, (i) => between.typeIds[i]);
  add(texts.second, second, () => secondType);
  add(after.ids, after.ids.length, (i) => after.typeIds[i]);
  return { ids, typeIds };
}

function span(owners: (number | null | undefined)[], sequence: number): [number, number] {
  const start = owners.indexOf(sequence);
  return start < 0 ? [owners.length, owners.length] : [start, owners.lastIndexOf(sequence) + 1];
}

function slice(encoding: Encoding, start: number, end?: number): Specials {
  return { ids: encoding.getIds().slice(start, end), typeIds: encoding.getTypeIds().slice(start, end) };
}
