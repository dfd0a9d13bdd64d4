import { UsageError } from '../../../base/errors.js';
import { firstModeNames } from '../../../search/retrievers/modes.js';
import { checkModes } from '../../options/mode-options.js';
import type { SearchFlags } from './options.js';

/** Refuses what would change nothing, because there is nothing that reranks. */
export function checkRerankFlags(
  command: string,
  { reranker, rerankDepth, rerankFirst }: Pick<SearchFlags, 'reranker' | 'rerankDepth' | 'rerankFirst'>,
): void {
  checkModes(`${command}: --rerank-first`, rerankFirst, firstModeNames());
  if (reranker !== undefined || (rerankDepth === undefined && rerankFirst === undefined)) return;
  const flag = rerankFirst === undefined ? '--rerank-depth' : '--rerank-first';
  throw new UsageError(`${command}: ${flag} is of no use without --reranker`, {
    hint: 'name a cross-encoder: --reranker runs/reranker/best',
  });
}
