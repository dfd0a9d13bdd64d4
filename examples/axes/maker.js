/**
 * A stage of your own that makes data: candidates by shared words, as a TREC run that a later stage samples from. It is
 * made once; a run that goes on after an interruption finds it.
 *
 * @param {import('nearmiss').Axes} axes
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export default ({ makers, settings }) => {
  const runsOf = (text) =>
    new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, i) => text.slice(i, i + 3)));

  makers.register({
    name: 'shared-letters',
    description: 'the documents that share most runs of three letters with each training query',
    options: {
      depth: settings.whole(1).default(10).describe('documents for each query'),
    },
    async make({ depth }, { data, description, folder, progress, shouldStop }) {
      const documents = [];
      for await (const { id, text } of data.dataset.documents()) documents.push({ id, runs: runsOf(text) });
      const lines = [];
      let done = 0;
      for await (const { id, text } of data.dataset.queries(description.split)) {
        if (await shouldStop()) return false;
        const query = runsOf(text);
        const found = documents
          .map((document) => ({
            id: document.id,
            score: [...query].filter((run) => document.runs.has(run)).length,
          }))
          .sort((a, b) => b.score - a.score)
          .slice(0, depth);
        for (const [i, { id: document, score }] of found.entries()) {
          lines.push(`${id} Q0 ${document} ${i + 1} ${score} shared-letters`);
        }
        await progress(++done, data.training.length);
      }
      await writeFile(join(folder, 'candidates.trec'), `${lines.join('\n')}\n`);
      return true;
    },
  });
};
