import { inverseSelection } from '../../base/numbers/inverse-selection.js';
import type { DenseTensor } from '../../engine/index.js';
import { type Representation, rowOffsets } from '../representation/representation.js';
import type { TokenizedText } from './tokenized-texts.js';

/** Texts of similar length, padded to the longest of them. */
interface LengthGroup {
  /** Which texts, by their place in the list that was grouped. */
  members: number[];
  /** Tokens of the longest. */
  length: number;
}

/**
 * Cuts texts into at most `maxGroups` groups by length, so that as few padding tokens as possible remain
 * (optimal, by dynamic programming over the distinct lengths).
 */
function groupByLength(lengths: ArrayLike<number>, maxGroups: number): LengthGroup[] {
  const order = Array.from(lengths, (_, i) => i).sort((a, b) => lengths[a] - lengths[b] || a - b);
  // ends[i]: how many texts are no longer than the i-th distinct length.
  const ends: number[] = [];
  order.forEach((text, i) => {
    if (i + 1 === order.length || lengths[order[i + 1]] !== lengths[text]) ends.push(i + 1);
  });
  const groups: LengthGroup[] = [];
  let start = 0;
  for (const end of bestCuts(ends, (end) => lengths[order[end - 1]], maxGroups)) {
    groups.push({ members: order.slice(start, end), length: lengths[order[end - 1]] });
    start = end;
  }
  return groups;
}

/** The ends of the groups whose padded size, Σ texts·length, is least. */
function bestCuts(ends: number[], lengthAt: (end: number) => number, maxGroups: number): number[] {
  const n = ends.length;
  let costs = ends.map((end) => end * lengthAt(end));
  const choices: Int32Array[] = [new Int32Array(n).fill(-1)];
  for (let group = 1; group < Math.min(maxGroups, n); group++) {
    const next = costs.slice();
    const choice = new Int32Array(n).fill(-2);
    for (let last = 1; last < n; last++) {
      for (let cut = 0; cut < last; cut++) {
        const cost = costs[cut] + (ends[last] - ends[cut]) * lengthAt(ends[last]);
        if (cost < next[last]) {
          next[last] = cost;
          choice[last] = cut;
        }
      }
    }
    costs = next;
    choices.push(choice);
  }
  const cuts: number[] = [];
  let last = n - 1;
  for (let group = choices.length - 1; group >= 0 && last >= 0; group--) {
    const cut = choices[group][last];
    if (cut === -2) continue;
    cuts.unshift(ends[last]);
    last = cut;
  }
  return cuts;
}

/** What an encoder is fed: the tokens of all groups one after another, and two small tables for each group. */
export interface PackedBatch {
  /** [tokens] */
  ids: DenseTensor;
  /** [tokens] */
  positions: DenseTensor;
  /** [tokens] */
  types: DenseTensor;
  groups: {
    /** [texts, length]: added to attention logits, 0 for tokens and a large negative number for padding. */
    bias: DenseTensor;
    /** [texts, length]: the weight of each token in the pooled row, where texts have one. */
    pool?: DenseTensor;
  }[];
  /** Which of all tokens become rows, where tokens do: [rows], and for each token [tokens] its row. */
  selection?: { tokens: DenseTensor; inverse: DenseTensor };
  /** Place among the texts as they lie here → place of the text in the input. */
  order: Int32Array;
  /** The rows of the texts as they lie here: those of the i-th are `rowOffsets[i] … rowOffsets[i + 1] - 1`. */
  rowOffsets: Uint32Array;
  /** Tokens without padding. */
  tokenCount: number;
}

export interface PackOptions {
  representation: Representation;
  /** Exactly this many groups, as the graph has them. */
  groups: number;
  padTokenId: number;
  /** The position of a text's first token: 0 for BERT, pad id + 1 for RoBERTa. */
  positionOffset: number;
}

/** Low enough for softmax to give exactly 0, and far from float32's limit so that sums stay finite. */
export const MASKED = -1e9;

/**
 * Lays texts out for an encoder graph with `groups` groups. There must be at least as many texts as groups, and they are
 * as their representation reads them (`readAs`).
 */
export function packBatch(texts: readonly TokenizedText[], options: PackOptions): PackedBatch {
  const lengths = texts.map((text) => text.ids.length);
  const groups = splitToCount(groupByLength(lengths, options.groups), options.groups);
  const padded = groups.reduce((sum, group) => sum + group.members.length * group.length, 0);
  const ids = new Int32Array(padded).fill(options.padTokenId);
  const positions = new Int32Array(padded);
  const types = new Int32Array(padded);
  const order = new Int32Array(texts.length);
  const { representation } = options;
  const weigh = 'weigh' in representation ? representation.weigh : undefined;
  const selected: number[] = [];
  const tables: PackedBatch['groups'] = [];
  let row = 0;
  let base = 0;
  for (const { members, length } of groups) {
    const bias = new Float32Array(members.length * length).fill(MASKED);
    const pool = weigh && new Float32Array(members.length * length);
    members.forEach((member, i) => {
      const text = texts[member];
      const start = base + i * length;
      const count = text.ids.length;
      for (let t = 0; t < length; t++) positions[start + t] = options.positionOffset + Math.min(t, count - 1);
      for (let t = 0; t < count; t++) {
        ids[start + t] = text.ids[t];
        if (text.types) types[start + t] = text.types[t];
      }
      bias.fill(0, i * length, i * length + (text.attended ?? count));
      if (pool) weigh!(text, pool.subarray(i * length, (i + 1) * length));
      if ('tokens' in representation) {
        const tokens = representation.tokens(text);
        for (let t = 0; t < tokens.length; t++) selected.push(start + tokens[t]);
      }
      order[row++] = member;
    });
    base += members.length * length;
    const shape = [members.length, length];
    tables.push({ bias: { shape, data: bias }, ...(pool && { pool: { shape, data: pool } }) });
  }
  const flat = (data: Int32Array): DenseTensor => ({ shape: [data.length], data });
  const tokenCount = lengths.reduce((sum, length) => sum + length, 0);
  return {
    ids: flat(ids),
    positions: flat(positions),
    types: flat(types),
    groups: tables,
    ...('tokens' in representation && {
      selection: {
        tokens: flat(Int32Array.from(selected)),
        inverse: flat(inverseSelection(selected, padded)),
      },
    }),
    order,
    rowOffsets: rowOffsets(
      representation,
      Array.from(order, (text) => texts[text]),
    ),
    tokenCount,
  };
}

/** A graph has a fixed number of groups: where lengths give fewer, the largest group is halved. */
function splitToCount(groups: LengthGroup[], count: number): LengthGroup[] {
  const result = [...groups];
  while (result.length < count) {
    const largest = result.reduce(
      (best, group, i) => (group.members.length > result[best].members.length ? i : best),
      0,
    );
    const { members, length } = result[largest];
    if (members.length < 2) throw new Error(`${count} groups need at least ${count} texts`);
    const half = members.length >> 1;
    result.splice(
      largest,
      1,
      { members: members.slice(0, half), length },
      { members: members.slice(half), length },
    );
  }
  return result;
}

/**
 * Cuts texts into batches of at most `tokenBudget` padded tokens, longest first: the first batch is the one
 * that needs the most memory, so a machine that is too small says so at once and not after an hour.
 */
export function batchByTokens(
  lengths: ArrayLike<number>,
  options: { tokenBudget: number; maxTexts?: number },
): number[][] {
  const { tokenBudget, maxTexts = Number.POSITIVE_INFINITY } = options;
  const order = Array.from(lengths, (_, i) => i).sort((a, b) => lengths[b] - lengths[a] || a - b);
  const batches: number[][] = [];
  let batch: number[] = [];
  for (const text of order) {
    const longest = lengths[batch[0] ?? text];
    if (batch.length > 0 && ((batch.length + 1) * longest > tokenBudget || batch.length >= maxTexts)) {
      batches.push(batch);
      batch = [];
    }
    batch.push(text);
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
