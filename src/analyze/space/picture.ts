import { createHash } from 'node:crypto';
import { writeFileAtomic } from '../../base/files.js';
import type { RunDirectory } from '../../train/run-directory.js';
import type { DocumentExcerpt } from '../texts.js';
import type { PointKind } from './kinds.js';
import type { Projection } from './project.js';

/** A point of a picture: the query itself, or a document. */
export interface SpacePoint extends DocumentExcerpt {
  kind: PointKind;
  /** From 1, in the lists of the model and of BM25 that found it. */
  ranks: { ann?: number; bm25?: number };
}

/** Where one checkpoint puts the points. */
export interface SpaceMap {
  step: number;
  /** Of each point. */
  x: number[];
  y: number[];
  /** The document's score for the query; `null` for the query itself. */
  scores: (number | null)[];
}

/** A query among its positives and negatives, by the model as it started and as a checkpoint has it (ANCE, Fig. 1, 7). */
export interface SpacePicture {
  format: 1;
  query: { id: string; text: string; splits: string[] };
  method: Projection;
  step: number;
  /** The query comes first. */
  points: SpacePoint[];
  /** In the order of their steps. */
  maps: SpaceMap[];
}

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
  const picture = await run.readJson<SpacePicture>(...pictureFile(key));
  return picture?.format === 1 ? picture : undefined;
}

export async function keepPicture(run: RunDirectory, picture: SpacePicture): Promise<void> {
  const { step, query, method } = picture;
  await writeFileAtomic(run.file(...pictureFile({ step, query: query.id, method })), JSON.stringify(picture));
}
