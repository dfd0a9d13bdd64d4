import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { AtomicFile } from '../../base/files.js';

const BUFFER_CHARACTERS = 512 * 1024;
const compress = promisify(gzip);

/**
 * Writes a text file in large pieces, complete or not at all; a name that ends in `.gz` is compressed (as several
 * gzip members in a row, which every gzip reader accepts).
 */
export class TextWriter {
  readonly #file: AtomicFile;
  readonly #gzip: boolean;
  #buffer: string[] = [];
  #buffered = 0;

  private constructor(file: AtomicFile) {
    this.#file = file;
    this.#gzip = file.path.endsWith('.gz');
  }

  /** Creates the file, lets `fill` write it, and gives it its name; after a failure nothing is left. */
  static async write(path: string, fill: (writer: TextWriter) => Promise<void>): Promise<void> {
    const writer = new TextWriter(await AtomicFile.create(path));
    try {
      await fill(writer);
      await writer.#flush();
      await writer.#file.commit();
    } catch (error) {
      await writer.#file.abort();
      throw error;
    }
  }

  /** Adds text; only a full buffer gives something to wait for. */
  add(text: string): Promise<void> | undefined {
    this.#buffer.push(text);
    this.#buffered += text.length;
    return this.#buffered >= BUFFER_CHARACTERS ? this.#flush() : undefined;
  }

  async #flush(): Promise<void> {
    const text = this.#buffer.join('');
    this.#buffer = [];
    this.#buffered = 0;
    await this.#file.write(this.#gzip ? await compress(text) : text);
  }
}
