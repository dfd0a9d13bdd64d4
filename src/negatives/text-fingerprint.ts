import { hash } from 'node:crypto';

/**
 * A number that stands for a text, whatever its case, white space and punctuation: 52 bits of SHA-1, so that two
 * different texts among ten million share one with a chance of about one in a hundred.
 */
export function textFingerprint(text: string): number {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, ' ')
    .trim();
  return Number.parseInt(hash('sha1', plain, 'hex').slice(0, 13), 16);
}
