import { NearmissError } from '../../base/errors.js';
import type { FileOptions } from '../formats.js';
import { fieldAt, fieldNames } from '../readers/field-path.js';
import { quoted } from '../readers/fields.js';
import { doubtfulPair, usualPair } from '../readers/pair-fields.js';
import type { Detected, Said } from './detected.js';
import type { NamedRecords } from './named-records.js';

/** Pairs, by what was said or by the usual names; where only a person can know, that is asked for. */
export function detectPairs(
  file: string,
  { names, first, json, delimiter }: NamedRecords,
  role: FileOptions['role'],
  { pair, fields }: Said,
): Detected | undefined {
  const detected: Detected =
    json === undefined
      ? { format: 'sentence-transformers-csv', ...(delimiter !== ',' && { delimiter }) }
      : { format: json === 'json' ? 'sentence-transformers-json' : 'sentence-transformers' };
  if (pair !== undefined) {
    for (const [flag, wanted] of [
      ['--query-field', pair.query],
      ['--document-field', pair.document],
    ]) {
      if (fieldAt(first, wanted) !== undefined) continue;
      throw new NearmissError(
        `${file}: no column "${wanted}"; columns found: ${fieldNames(first).join(', ')}`,
        {
          hint: `name one of them with ${flag}`,
        },
      );
    }
    return detected;
  }
  if (fields?.text !== undefined || fields?.id !== undefined || fields?.lineIds) return undefined;
  if (usualPair(names) !== undefined) return detected;
  const doubtful = role === 'documents' ? doubtfulPair(names) : undefined;
  if (doubtful === undefined) return undefined;
  const { query, document } = doubtful;
  throw new NearmissError(`${file}: pairs, or documents? columns found: ${names.join(', ')}`, {
    hint: `pairs: --query-field ${quoted(query)} --document-field ${quoted(document)}; documents: --text-field ${quoted(document)}`,
  });
}
