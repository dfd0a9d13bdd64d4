import { count } from '../base/progress.js';

/** How much there is to learn from: `22 documents of one file or article`. */
export function describedSources(documents: number, sources: number): string {
  const of = sources === 1 ? 'one file or article' : `${count(sources)} files or articles`;
  return `${documents === 1 ? 'one document' : `${count(documents)} documents`} of ${of}`;
}
