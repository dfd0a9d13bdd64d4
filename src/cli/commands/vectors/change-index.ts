import { NearmissError, UsageError } from '../../../base/errors.js';
import { print, printJson, tell } from '../../output.js';
import type { IndexFlags } from './index-flags.js';

/** Rows read at once. */
const BLOCK_ROWS = 8192;

/** Flags that say how an index is built; one that is there stays as it is. */
const BUILDING = {
  bits: '--bits',
  scorer: '--scorer',
  dimensions: '--dimensions',
  connectivity: '--connectivity',
  efConstruction: '--ef-construction',
  lists: '--lists',
  probes: '--probes',
  rescore: '--rescore',
} as const satisfies Partial<Record<keyof IndexFlags, string>>;

/** `nearmiss index --append` and `--delete`: documents come to an index that is there, or go. */
export async function changeIndex(from: string, out: string, flags: IndexFlags): Promise<void> {
  if (flags.overwrite) {
    throw new UsageError(
      '--overwrite builds an index anew, --append and --delete change the one that is there',
      {
        hint: 'leave --overwrite out',
      },
    );
  }
  for (const [key, flag] of Object.entries(BUILDING)) {
    if (flags[key as keyof typeof BUILDING] === undefined) continue;
    throw new UsageError(`${flag} is for building an index, --append and --delete leave it as it is`, {
      hint: `leave ${flag} out`,
    });
  }
  const { changeDocumentIndex } = await import('../../../index/change-documents.js');
  const session = { threads: flags.threads };
  const changed = flags.append
    ? await append(from, out, flags, (changes) => changeDocumentIndex(out, changes, { session }))
    : await changeDocumentIndex(out, { remove: await idsIn(from) }, { session });
  const { metadata, added, removed } = changed;
  const { count, parameters } = metadata;
  if (flags.json) {
    printJson({ index: out, added, removed, ...metadata });
    return;
  }
  print(
    `${out}: ${added} documents added, ${removed} removed, ${count} ${metadata.type === 'tokens' ? 'documents' : 'vectors'} now\n`,
  );
  const { learned = 0, rows = 0 } = parameters;
  if (!flags.quiet && learned > 0 && rows > 4 * learned) {
    tell(
      `its centroids were learned from ${learned} of now ${rows} tokens: build it anew for smaller errors\n`,
    );
  }
}

type Changes = Parameters<typeof import('../../../index/change-documents.js').changeDocumentIndex>[1];

async function append<T>(
  from: string,
  out: string,
  flags: IndexFlags,
  change: (changes: Changes) => Promise<T>,
): Promise<T> {
  const [{ VectorFile, idsPath }, { documentsFromIds }, { IndexFolder }] = await Promise.all([
    import('../../../model/tensors/vector-file.js'),
    import('../../../index/vectors/index.js'),
    import('../../../index/vectors/index-folder.js'),
  ]);
  const file = await VectorFile.open(from, { dimension: flags.dimension });
  try {
    const { metadata } = await IndexFolder.open(out);
    if (metadata.dimension !== file.dimension) {
      throw new NearmissError(
        `${from}: expected rows of ${metadata.dimension} numbers as in ${out}, got ${file.dimension}`,
        { hint: 'encode them with the model that encoded the index' },
      );
    }
    if (flags.model !== undefined && metadata.model !== undefined && flags.model !== metadata.model) {
      throw new NearmissError(`${out}: was encoded by ${metadata.model}, got vectors of ${flags.model}`, {
        hint: 'encode them with the same model, or build the index anew',
      });
    }
    const { ids, offsets } = documentsFromIds(await file.ids(), idsPath(file.path));
    const add = { ids, offsets, blocks: () => file.blocks(BLOCK_ROWS) };
    const remove = flags.delete ? Array.from({ length: ids.size }, (_, i) => ids.idAt(i)) : [];
    return await change({ add, remove });
  } finally {
    await file.close();
  }
}

async function idsIn(path: string): Promise<string[]> {
  const { readLines } = await import('../../../base/lines.js');
  const ids: string[] = [];
  for await (const { text } of readLines(path)) if (text !== '') ids.push(text);
  return ids;
}
