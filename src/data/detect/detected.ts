import type { FileFormatName } from '../format-names.js';
import type { FieldNames } from '../readers/fields.js';
import type { PairFields } from '../readers/pair-fields.js';

/** What the first lines of a file say about it. */
export interface Detected {
  format: FileFormatName;
  /** The columns' names where a table has no header line. */
  columns?: string[];
  /** Between the cells of CSV, where it is not a comma. */
  delimiter?: string;
  /** Its first record has a text, but no id. */
  lineIds?: 'no-ids';
}

/** What a person has said about a file. */
export interface Said {
  /** It holds pairs, in these columns. */
  pair?: PairFields;
  columns?: string[];
  delimiter?: string;
  /** The sheet of a workbook. */
  sheet?: string;
  /** Whoever names fields of documents has documents. */
  fields?: FieldNames;
}
