import type { Document } from '../../data/index.js';
import type { EngineConnection, EngineDocument, VersionDescription } from '../../index/engines/engine.js';
import type { DocumentStore } from '../document-store.js';

/** The documents that an engine keeps beside their vectors: nothing of the collection is needed here. */
export class EngineDocuments implements DocumentStore {
  readonly count: number;
  /** Stands for all documents. */
  readonly content: string;
  readonly #connection: EngineConnection;
  readonly #version: string;

  constructor(connection: EngineConnection, version: string, description: VersionDescription) {
    this.count = description.documents ? description.count : 0;
    this.content = description.fingerprint;
    this.#connection = connection;
    this.#version = version;
  }

  /** An engine cannot say at once: whoever gets the document will know. */
  has(): boolean {
    return this.count > 0;
  }

  async get(id: string): Promise<Document | undefined> {
    return (await this.getAll([id]))[0];
  }

  async getAll(ids: readonly string[]): Promise<(Document | undefined)[]> {
    if (this.count === 0) return ids.map(() => undefined);
    return (await this.#connection.find(this.#version, ids)).map((found) => found && asDocument(found));
  }

  /** Unknown here: an engine's documents are many. */
  ids(): string[] {
    return [];
  }

  async *metadata(): AsyncGenerator<Record<string, unknown> | undefined> {
    if (this.count === 0) return;
    for await (const { metadata } of this.#connection.scan(this.#version)) yield metadata;
  }

  async close(): Promise<void> {}
}

function asDocument({ id, title, text = '', metadata }: EngineDocument): Document {
  return { id, ...(title !== undefined && { title }), text, ...(metadata && { metadata }) };
}
