import { createHash } from 'node:crypto';
import { adviseWriter, writeFileAtomic } from '../../base/files.js';
import { seal } from '../../base/json-file.js';
import { READ_ONLY_RUN, type RunDirectory } from '../../run/run-directory.js';
import type { Projection, SpacePicture } from './space-picture.js';

/** What a picture is of. */
export interface PictureKey {
  step: number;
  query: string;
  method: Projection;
}

/** Pictures are kept in the run's cache, which may be deleted at any time. */
function pictureFile({ step, query, method }: PictureKey): string[] {
  const name = createHash('sha256').update(query).digest('hex').slice(0, 20);
  return ['cache', 'space', `step-${step}`, `${name}-${method}.json`];
}

/** A picture that was made before. */
export async function readPicture(run: RunDirectory, key: PictureKey): Promise<SpacePicture | undefined> {
  // One that is damaged is made again.
  const picture = await run.readJson<SpacePicture>(...pictureFile(key)).catch(() => undefined);
  return picture?.format === 1 ? picture : undefined;
}

export async function keepPicture(run: RunDirectory, picture: SpacePicture): Promise<void> {
  const { step, query, method } = picture;
  const path = run.file(...pictureFile({ step, query: query.id, method }));
  await writeFileAtomic(path, JSON.stringify(seal(picture))).catch(adviseWriter(READ_ONLY_RUN));
}
