import { join } from 'node:path';
import { openSearcher } from '../open/open-searcher.js';
import type { Searcher } from '../searcher.js';

/** Opens the collection `root/data`, with caches in `root`, for as long as it is used. */
export async function withSearcher<T>(
  root: string,
  options: Parameters<typeof openSearcher>[1],
  use: (searcher: Searcher) => Promise<T>,
): Promise<T> {
  const searcher = await openSearcher(join(root, 'data'), {
    threads: 1,
    cache: join(root, 'cache'),
    ...options,
  });
  try {
    return await use(searcher);
  } finally {
    await searcher.close();
  }
}
