import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NearmissError } from '../../base/errors.js';
import { writeDirectoryAtomic } from '../../base/files.js';
import { type FolderContents, filesNamed } from '../../base/folders/folder-contents.js';
import { writeSealedJsonFile } from '../../base/json-file.js';
import { PARTIAL_PREFIX } from '../../base/partial-path.js';
import { ContentHash } from '../../data/content-hash.js';
import { type Document, fullText } from '../../data/dataset.js';
import { type Analyzer, analyzerFor, type Language } from '../../text/analyzers/index.js';
import { encodeLength } from './document-length.js';
import { type Bm25Meta, FORMAT_VERSION, META_FILE } from './format.js';
import { FORMAT_NAME } from './format-name.js';
import { IndexWriter } from './index-writer.js';
import { FILES, VECTOR_FILES } from './layout.js';
import { ByteWriter } from './postings/byte-writer.js';
import { mergeRuns } from './postings/merge-runs.js';
import { mergeVectors } from './postings/merge-vectors.js';
import { PostingsBuffer, type RunFiles } from './postings/postings-buffer.js';
import { MAX_IMPACT } from './similarity.js';

export interface BuildOptions {
  /** How text becomes terms. Default `en`. */
  language?: Language;
  /**
   * Memory for postings and vocabulary, in megabytes; when it is full, a sorted run goes to disk. Default 256.
   * The process itself, the reader of the collection and one byte a document come on top.
   */
  memoryMb?: number;
  /** Also stores each document's terms, which RM3 needs; adds about two thirds to the index. Default false. */
  vectors?: boolean;
  /** Replaces an index that is there already. */
  overwrite?: boolean;
  /** Called after each document. */
  onDocument?: () => void;
}

export const DEFAULT_MEMORY_MB = 256;
const MIN_MEMORY_MB = 4;

const BM25_FOLDER: FolderContents = {
  what: 'a BM25 index',
  files: filesNamed(META_FILE, ...Object.values({ ...FILES, ...VECTOR_FILES })),
};

/**
 * Indexes documents (title and text as one field) into a folder, which appears when it is complete.
 *
 * @example
 * const dataset = await openDataset('data/mine');
 * await buildBm25Index('indexes/mine', dataset.documents(), { language: 'en' });
 */
export async function buildBm25Index(
  folder: string,
  documents: AsyncIterable<Document> | Iterable<Document>,
  options: BuildOptions = {},
): Promise<Bm25Meta> {
  return buildFolder(folder, options, async (builder) => {
    for await (const document of documents) {
      builder.add(document);
      options.onDocument?.();
    }
  });
}

/** A document as terms and what each of them weighs in it. */
export interface WeightedDocument {
  id: string;
  weights: ReadonlyMap<string, number>;
}

export interface BuildWeightedOptions extends BuildOptions, Pick<Bm25Meta, 'weighed'> {
  /** SHA-256 of the documents that the weights are of, asked when all have been added. Default: of the weights. */
  content?: () => string;
  /** How queries become terms. Default `unicode`, for those that are given as terms. */
  language?: Language;
  /** Weights are multiplied by this and rounded; what becomes 0 or less is left out. Default 100. */
  scale?: number;
}

/**
 * Indexes documents by weights that a model gave their terms (DeepCT, uniCOIL, SPLADE): search them with the similarity
 * `impacts()`, which adds up products of weights, or with BM25, to which they are term frequencies. Terms are looked up as they are
 * given, tokens of a model for example; a query has to name them alike.
 *
 * @example
 * await buildWeightedIndex('indexes/weighted', [{ id: 'd1', weights: new Map([['near', 1.2], ['##miss', 0.4]]) }]);
 * const searcher = new Bm25Searcher(await openBm25Index('indexes/weighted'), { similarity: impacts() });
 * searcher.searchTerms(new Map([['near', 2]]), 10).scores[0]; // 240
 */
export async function buildWeightedIndex(
  folder: string,
  documents: AsyncIterable<WeightedDocument> | Iterable<WeightedDocument>,
  options: BuildWeightedOptions = {},
): Promise<Bm25Meta> {
  const { scale = 100, language = 'unicode', weighed, content } = options;
  const more = () => ({ ...(weighed && { weighed }), ...(content && { content: content() }) });
  return buildFolder(folder, { ...options, language, more }, async (builder) => {
    for await (const { id, weights } of documents) {
      builder.addWeighted(id, roundedImpacts(id, weights, scale));
      options.onDocument?.();
    }
  });
}

/** Weights as whole numbers that an index holds. */
function roundedImpacts(
  id: string,
  weights: ReadonlyMap<string, number>,
  scale: number,
): Map<string, number> {
  const rounded = new Map<string, number>();
  for (const [term, weight] of weights) {
    const impact = Math.round(weight * scale);
    if (!Number.isFinite(weight) || impact > MAX_IMPACT) {
      throw new NearmissError(
        `document ${JSON.stringify(id)}, term ${JSON.stringify(term)}: expected a weight of at most ${MAX_IMPACT / scale}, got ${weight}`,
        { hint: 'choose a smaller scale, or look for what went wrong in the model' },
      );
    }
    if (impact > 0) rounded.set(term, impact);
  }
  return rounded;
}

async function buildFolder(
  folder: string,
  options: BuildOptions & { more?: () => Partial<Bm25Meta> },
  fill: (builder: Builder) => Promise<void>,
): Promise<Bm25Meta> {
  const { language = 'en', memoryMb = DEFAULT_MEMORY_MB, vectors = false } = options;
  if (!(memoryMb >= MIN_MEMORY_MB)) {
    throw new NearmissError(`memory: expected at least ${MIN_MEMORY_MB} MB, got ${memoryMb}`);
  }
  let meta: Bm25Meta | undefined;
  await writeDirectoryAtomic(
    folder,
    async (target) => {
      const runsFolder = await mkdtemp(join(target, PARTIAL_PREFIX));
      const builder = new Builder(target, runsFolder, {
        analyzer: analyzerFor(language),
        memoryBytes: memoryMb * 1e6,
        vectors,
      });
      try {
        await fill(builder);
        meta = { ...(await builder.finish()), ...options.more?.() };
      } finally {
        builder.dispose();
      }
      await rm(runsFolder, { recursive: true });
      await writeSealedJsonFile(join(target, META_FILE), meta);
    },
    { replaces: options.overwrite ? BM25_FOLDER : undefined },
  );
  return meta!;
}

interface BuilderOptions {
  analyzer: Analyzer;
  memoryBytes: number;
  vectors: boolean;
}

/** Collects postings, sends full buffers to disk as runs, and merges them in the end. */
class Builder {
  readonly #target: string;
  readonly #runsFolder: string;
  readonly #options: BuilderOptions;
  readonly #runs: RunFiles[] = [];
  readonly #ids: ByteWriter;
  readonly #idOffsets: ByteWriter;
  readonly #open: { dispose(): void }[];
  readonly #content = new ContentHash();
  #buffer: PostingsBuffer;
  #lengthCodes = new Uint8Array(1 << 16);
  #documents = 0;
  #nonEmptyDocuments = 0;
  #totalLength = 0;

  constructor(target: string, runsFolder: string, options: BuilderOptions) {
    this.#target = target;
    this.#runsFolder = runsFolder;
    this.#options = options;
    this.#ids = new ByteWriter(join(target, FILES.ids));
    this.#idOffsets = new ByteWriter(join(target, FILES.idOffsets));
    this.#open = [this.#ids, this.#idOffsets];
    this.#buffer = new PostingsBuffer(options.analyzer, 0);
  }

  add(document: Document): void {
    this.#content.add(document);
    this.#end(document.id, this.#buffer.add(fullText(document)));
  }

  addWeighted(id: string, weights: ReadonlyMap<string, number>): void {
    this.#content.add({ id, text: JSON.stringify([...weights]) });
    this.#end(id, this.#buffer.addWeighted(weights));
  }

  #end(id: string, length: number): void {
    this.#idOffsets.u32(this.#ids.position);
    this.#ids.text(id);
    if (this.#documents === this.#lengthCodes.length) this.#growLengths();
    this.#lengthCodes[this.#documents++] = encodeLength(length);
    this.#totalLength += length;
    if (length > 0) this.#nonEmptyDocuments++;
    if (this.#buffer.bytes > this.#options.memoryBytes) this.#writeRun();
  }

  async finish(): Promise<Bm25Meta> {
    if (this.#documents === 0) {
      throw new NearmissError('the collection has no documents: there is nothing to index');
    }
    if (this.#buffer.documents > 0) this.#writeRun();
    this.#idOffsets.u32(this.#ids.position);
    const bufferBytes = Math.min(1e6, this.#options.memoryBytes / (this.#runs.length + 1));
    const lengths = new ByteWriter(join(this.#target, FILES.lengths));
    lengths.bytes(this.#lengthCodes.subarray(0, this.#documents));
    const writer = new IndexWriter(this.#target, this.#lengthCodes);
    this.#open.push(lengths, writer);
    const numbers = await mergeRuns(this.#runs, writer, { bufferBytes });
    const { files, ...counts } = writer.close();
    const vectorFiles = this.#options.vectors
      ? await mergeVectors(this.#target, this.#runs, numbers, { bufferBytes })
      : {};
    return {
      format: FORMAT_NAME,
      version: FORMAT_VERSION,
      language: this.#options.analyzer.language,
      documents: this.#documents,
      nonEmptyDocuments: this.#nonEmptyDocuments,
      totalLength: this.#totalLength,
      content: this.#content.digest(),
      ...counts,
      files: {
        ...files,
        [FILES.lengths]: lengths.close(),
        [FILES.ids]: this.#ids.close(),
        [FILES.idOffsets]: this.#idOffsets.close(),
        ...vectorFiles,
      },
    };
  }

  /** Closes what a failure left open. */
  dispose(): void {
    for (const file of this.#open) file.dispose();
  }

  #writeRun(): void {
    const path = join(this.#runsFolder, `run-${this.#runs.length}`);
    this.#runs.push(this.#buffer.write(path, { vectors: this.#options.vectors }));
    this.#buffer = new PostingsBuffer(this.#options.analyzer, this.#documents);
  }

  #growLengths(): void {
    const grown = new Uint8Array(2 * this.#lengthCodes.length);
    grown.set(this.#lengthCodes);
    this.#lengthCodes = grown;
  }
}
