import { join } from 'node:path';
import type { Document } from '../dataset.js';
import type { RecordSource } from '../sources.js';
import { type OpenFolderOptions, openFolder } from './folder.js';

/** The passages of a folder of texts, as a part to which queries and judgments can be added. */
export async function textFolderSource(
  path: string,
  options?: OpenFolderOptions,
): Promise<RecordSource<Document>> {
  const dataset = await openFolder(path, options);
  return {
    file: path,
    async *read() {
      for await (const document of dataset.documents()) {
        yield { value: document, file: join(path, String(document.metadata?.path)), line: 1 };
      }
    },
  };
}
