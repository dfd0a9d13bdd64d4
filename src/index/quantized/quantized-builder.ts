import { NearmissError } from '../../base/errors.js';
import { CREATED_BY } from '../../base/version.js';
import type { SessionOptions } from '../../engine/index.js';
import { writeIndexFolder } from '../vectors/index-folder.js';
import type { RowStorage } from '../vectors/row-codec.js';
import { MemoryBlocks, type RowFormat } from '../vectors/vector-blocks.js';
import { VectorCut } from '../vectors/vector-cut.js';
import type { SaveOptions, VectorIndexBuilder, VectorIndexMetadata } from '../vectors/vector-index.js';
import { VectorIntake } from '../vectors/vector-intake.js';
import { MemoryCodes } from './code-store.js';
import { type Quantized, type QuantizeOptions, quantize } from './quantize.js';
import { QuantizedIndex, writeParts } from './quantized-index.js';
import { ROWS_FILE, RowFile, rowRecords, rowsInMemory } from './row-file.js';
import { type CodeKind, recordBytes } from './scan-kernel.js';
import { defaultProbes } from './search-effort.js';

export interface QuantizedOptions {
  type: CodeKind;
  dimension: number;
  /** How whole vectors are kept on disk. Default `f32`. */
  storage?: RowStorage;
  /** Of how many first numbers of each vector codes are made (Matryoshka). Default: all. */
  dimensions?: number;
  /** Lists of vectors that lie near each other; 1 for none. Default: none up to 131,072 vectors, then about √count. */
  lists?: number;
  /** In how many lists a search looks. Default: one in 10, and 8. */
  probes?: number;
  /** How many vectors a search compares again as whole ones. Default by k, the type and the dimension. */
  rescore?: number;
  model?: string;
  /** Where the vectors are from, for error messages. Default `vectors`. */
  source?: string;
  session?: SessionOptions;
}

/** Collects vectors in memory and codes them at the end. */
export class QuantizedBuilder implements VectorIndexBuilder {
  readonly #options: QuantizedOptions;
  readonly #intake: VectorIntake;
  readonly #cut: VectorCut;
  readonly #blocks: MemoryBlocks;

  constructor(options: QuantizedOptions) {
    checkOptions(options);
    this.#options = options;
    this.#intake = new VectorIntake(options);
    this.#cut = new VectorCut(options.dimension, options.dimensions);
    this.#blocks = new MemoryBlocks(formatOf(options));
  }

  get count(): number {
    return this.#intake.count;
  }

  async add(block: Float32Array): Promise<void> {
    this.#intake.accept(block);
    this.#cut.see(block);
    this.#blocks.add(block, this.#intake.source);
  }

  async finish(): Promise<QuantizedIndex> {
    const described = this.#intake.finish();
    const rows = rowsInMemory(this.#blocks);
    const quantized = await quantize(rows, quantizeOptions(this.#options, this.#cut));
    const metadata = describe(described, quantized, this.#cut, this.#options);
    const pieces: Uint8Array[] = [];
    for await (const piece of quantized.pieces()) pieces.push(piece);
    const codes = new MemoryCodes(recordBytes(this.#options.type, this.#cut.kept), pieces);
    return new QuantizedIndex(metadata, { ...quantized, codes, rows }, this.#options.session);
  }
}

/** Writes whole vectors as they come, then reads them again to find lists and codes: memory is bounded, however many. */
export async function writeQuantizedIndex(
  folder: string,
  vectors: AsyncIterable<Float32Array> | Iterable<Float32Array>,
  options: QuantizedOptions & SaveOptions,
): Promise<VectorIndexMetadata> {
  checkOptions(options);
  const format = formatOf(options);
  const cut = new VectorCut(options.dimension, options.dimensions);
  const intake = new VectorIntake(options);
  async function* records(): AsyncGenerator<Uint8Array> {
    for await (const block of vectors) {
      const firstRow = intake.count;
      intake.accept(block);
      cut.see(block);
      yield rowRecords(block, format, { firstRow, source: intake.source });
    }
  }
  return writeIndexFolder(folder, options, async (writer) => {
    await writer.write(ROWS_FILE, records());
    const described = intake.finish();
    const rows = new RowFile(writer.pathOf(ROWS_FILE), described.count, format, 'check the disk');
    try {
      const quantized = await quantize(rows, quantizeOptions(options, cut));
      const metadata = describe(described, quantized, cut, options);
      await writeParts(writer, metadata, quantized);
      return metadata;
    } finally {
      await rows.close();
    }
  });
}

function quantizeOptions(
  { type, lists, session, ...options }: QuantizedOptions,
  cut: VectorCut,
): QuantizeOptions {
  return { kind: type, format: formatOf(options), cut, lists, session };
}

function describe(
  described: ReturnType<VectorIntake['finish']>,
  { table }: Quantized,
  cut: VectorCut,
  { type, storage = 'f32', model, probes, rescore }: QuantizedOptions,
): VectorIndexMetadata {
  const { lists } = table;
  return {
    type,
    ...described,
    storage,
    ...(model === undefined ? {} : { model }),
    createdBy: CREATED_BY,
    parameters: {
      lists,
      ...(lists > 1 && { probes: Math.min(lists, probes ?? defaultProbes(lists)) }),
      ...(rescore !== undefined && { rescore }),
      ...cut.parameters,
    },
  };
}

function formatOf({
  dimension,
  storage = 'f32',
}: Pick<QuantizedOptions, 'dimension' | 'storage'>): RowFormat {
  return { dimension, storage };
}

function checkOptions({ lists, probes, rescore }: QuantizedOptions): void {
  for (const [name, value] of Object.entries({ lists, probes, rescore })) {
    if (value === undefined || (Number.isInteger(value) && value >= 1)) continue;
    throw new NearmissError(`${name}: expected an integer from 1 up, got ${value}`);
  }
}
