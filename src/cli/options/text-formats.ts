/** How a person may name the format of texts to encode; apart from the readers, so that `--help` needs none. */
export const TEXT_FORMATS = [
  'auto',
  'jsonl',
  'json',
  'tsv',
  'csv',
  'text',
  'beir',
  'msmarco',
  'folder',
] as const;

export type TextFormat = (typeof TEXT_FORMATS)[number];
