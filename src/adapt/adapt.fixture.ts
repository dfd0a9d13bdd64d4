import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Random } from '../engine/random.js';

const THINGS = 'pump valve motor filter sensor cable switch panel tank hose bolt wheel belt fan lamp'.split(
  ' ',
);
const PLACES = 'cellar roof kitchen garden tower harbour workshop barn'.split(' ');
const ACTS = 'clean replace measure open close paint move check'.split(' ');

/** Writes a folder of Markdown files, each a page with a title and headings about one thing at one place. */
export async function writeGuides(folder: string, files: number): Promise<void> {
  const random = Random.from(5, 'guides');
  const pick = (words: readonly string[]): string => words[random.integer(words.length)];
  await mkdir(folder, { recursive: true });
  for (let file = 0; file < files; file++) {
    const [thing, place] = [
      THINGS[file % THINGS.length],
      PLACES[Math.floor(file / THINGS.length) % PLACES.length],
    ];
    const name = `${thing} ${file} of the ${place}`;
    const sections = ACTS.slice(0, 3).map(
      (act) =>
        `## How to ${act} the ${name}\n\nTake the ${pick(THINGS)} and ${act} it. The ${name} is ${pick(ACTS)}ed once a year. ` +
        `Nobody may ${pick(ACTS)} the ${thing} in the ${place} alone. Model ${file} needs ${random.integer(90)} turns.`,
    );
    await writeFile(
      join(folder, `${file}.md`),
      `# The ${name}\n\nThis page tells about it all.\n\n${sections.join('\n\n')}\n`,
    );
  }
}

/** Writes one Markdown file that has all of the guides, one after the other. */
export async function writeLongGuide(folder: string, guides: number): Promise<void> {
  const parts = join(folder, 'parts');
  await writeGuides(parts, guides);
  const texts = await Promise.all(
    Array.from({ length: guides }, (_, guide) => readFile(join(parts, `${guide}.md`), 'utf8')),
  );
  await rm(parts, { recursive: true });
  await writeFile(join(folder, 'all.md'), texts.join('\n'));
}

/** Changes to the recipe that make it run in seconds, from random weights. */
export const TINY = [
  'model.init=scratch',
  'model.layers=1',
  'model.hiddenSize=32',
  'model.heads=2',
  'model.vocabularySize=600',
  'model.maxLength={"query": 16, "document": 48}',
  'optimizer.learningRate=3e-3',
  'batch.queries=12',
  'stages.train.steps=20',
  // Random weights find everything alike.
  'stages.mine.make.relativeMargin=1',
];
