// Apart from the readers, so that a help text need not load them.

/** Formats of a single file. */
export const FILE_FORMAT_SUMMARIES = {
  jsonl: 'JSON lines, fields by name',
  json: 'one JSON list of objects, fields by name',
  csv: 'comma separated, quoted cells',
  tsv: 'tab separated, no quoting; without a header line: id, text',
  xlsx: 'a sheet of an Excel workbook, fields by the names in its first row',
  'trec-topics': '<top> or <topic> blocks: queries',
  'msmarco-passages': 'collection.tsv: pid, text',
  'msmarco-documents': 'msmarco-docs.tsv: docid, url, title, body',
  'msmarco-queries': 'queries.*.tsv: qid, text',
  'msmarco-triples': 'triples.train.*.tsv: query, positive, negative as texts',
  'msmarco-triple-ids': 'qidpidtriples.*.tsv: qid, pid+, pid-',
  'msmarco-top1000': 'top1000.*: qid, pid, query, passage',
  'dpr-passages': 'psgs_w100.tsv: id, text, title with a header line and quoted cells',
  dpr: 'DPR training: question, answers, positive_ctxs, hard_negative_ctxs',
  'dpr-jsonl': 'the same as JSON lines',
  tevatron: 'Tevatron training: positive_passages or positive_document_ids',
  flagembedding: 'FlagEmbedding training: query, pos, neg',
  colbert: 'ColBERT training: [qid, pid+, pid-] or [qid, [pid, score], …]',
  'sentence-transformers': 'anchor, positive, negative_1, … (or question, answer …) as JSON lines',
  'sentence-transformers-json': 'the same as one JSON list',
  'sentence-transformers-csv': 'the same as a table (CSV, semicolons or tabs)',
  'sentence-transformers-xlsx': 'the same as a sheet of an Excel workbook',
};

/** Formats that are a whole folder. */
export const FOLDER_FORMAT_SUMMARIES = {
  beir: 'corpus.jsonl, queries.jsonl, qrels/<split>.tsv',
  msmarco: 'collection.tsv or msmarco-docs.tsv, queries.*.tsv, qrels.*.tsv',
  folder: 'a folder of Markdown, HTML, PDF or text files, or of programs',
};

/** The name of a single file's format. */
export type FileFormatName = keyof typeof FILE_FORMAT_SUMMARIES;

export type FormatName = FileFormatName | keyof typeof FOLDER_FORMAT_SUMMARIES;

export function isFileFormat(name: string): name is FileFormatName {
  return Object.hasOwn(FILE_FORMAT_SUMMARIES, name);
}
