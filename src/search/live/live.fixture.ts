import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { memoryDataset } from '../../data/data.fixture.js';
import { type Document, writeBeir } from '../../data/index.js';

/** A folder that is gone after the test. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-live-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes documents as a collection, which words can search. */
export async function writeCollection(folder: string, documents: Document[]): Promise<void> {
  await writeBeir(memoryDataset({ documents, queries: [], qrels: {} }), folder);
}
