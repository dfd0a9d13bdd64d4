import type { z } from 'zod';
import type { Kind, OptionsOf } from '../../base/registry.js';
import type { Random } from '../../engine/random.js';

/** A link to another text of the same collection. */
export interface PassageLink {
  text: string;
  /** The number of the document that it leads to. */
  target: number;
  /** That place as files name it: `guide.md#install`. */
  to: string;
}

/** One document of a collection as pair makers see it. */
export interface PairPassage {
  /** Its number in the collection. */
  number: number;
  /** Empty where there is none. */
  title: string;
  text: string;
  /** The headings that it stands under, outermost first, without the title of its source. */
  headings: readonly string[];
  links: readonly PassageLink[];
}

/** What was written as one: the passages of a file or of an article, in their order. */
export interface PairSource {
  title: string;
  passages: readonly PairPassage[];
  /** Whether the title is no more than the name of the file. */
  isFileName?: boolean;
  /** Whether it is the next part of a file that is too long to be kept together. */
  goesOn?: boolean;
}

/** A query made of texts, and what answers it. */
export interface MadePair {
  query: string;
  /** The document of the collection that answers it, by its number. */
  document: number;
  /** What to learn from in its place, where that is not the document as it is: e.g. without what became the query. */
  positive?: string;
  /** A text of the same source that does not answer it, for makers that know one. */
  negative?: string;
}

/**
 * Makes pairs to learn from out of documents that nobody has labelled. What it makes is a pure function of the source, the
 * options and `random`; whether it makes any does not depend on chance.
 */
export interface PairMaker<Shape extends z.ZodRawShape = z.ZodRawShape> extends Kind<Shape> {
  /** Where it comes from: the paper, or what of a document it uses. */
  readonly origin: string;
  /** Whether people wrote its queries as what they are: titles, questions … These are nearest to what is asked later. */
  readonly natural?: boolean;
  /** Whether query and positive are the same text, which dropout has to tell apart. */
  readonly needsDropout?: boolean;
  make(source: PairSource, random: Random, options: OptionsOf<Shape>): Iterable<MadePair>;
}

/** Gives a maker's options their types. */
export function pairMaker<Shape extends z.ZodRawShape>(maker: PairMaker<Shape>): PairMaker {
  return maker as unknown as PairMaker;
}

/** A text as encoders read a document: its title before it. */
export function titled(title: string, text: string): string {
  return title === '' ? text : `${title} ${text}`;
}
