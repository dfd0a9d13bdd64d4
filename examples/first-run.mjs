// A first look at nearmiss, without any data of your own: makes a small collection that no keyword search can answer
// (documents are pairs of words, queries the same pairs in another language), trains a small encoder on it with ANCE,
// and searches with the best model. Takes about 10 seconds on 2 cores.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const cli = resolve(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'nearmiss-first-run-'));

const colours = ['red', 'green', 'blue', 'white', 'black', 'yellow', 'brown', 'grey', 'golden', 'silver'];
const farben = ['rot', 'grün', 'blau', 'weiß', 'schwarz', 'gelb', 'braun', 'grau', 'gülden', 'silbern'];
const things = [
  'house',
  'tree',
  'dog',
  'cat',
  'bird',
  'fish',
  'book',
  'chair',
  'table',
  'lamp',
  'stone',
  'flower',
];
const dinge = [
  'haus',
  'baum',
  'hund',
  'katze',
  'vogel',
  'fisch',
  'buch',
  'stuhl',
  'tisch',
  'leuchte',
  'stein',
  'blume',
];

function nearmiss(...args) {
  console.log(
    `$ nearmiss ${args
      .join(' ')
      .replaceAll(folder, '.')
      .replaceAll(import.meta.dirname, 'examples')}`,
  );
  const { status } = spawnSync(process.execPath, [cli, ...args], { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

try {
  const [corpus, queries, train, dev] = [[], [], [], []];
  for (const [c, colour] of colours.entries()) {
    for (const [t, thing] of things.entries()) {
      const id = `${colour}-${thing}`;
      corpus.push(JSON.stringify({ _id: id, title: '', text: `a ${colour} ${thing}` }));
      queries.push(JSON.stringify({ _id: `q-${id}`, text: `${farben[c]} ${dinge[t]}` }));
      ((7 * c + t) % 5 === 0 ? dev : train).push(`q-${id}\t${id}\t1`);
    }
  }
  const data = join(folder, 'data');
  mkdirSync(join(data, 'qrels'), { recursive: true });
  writeFileSync(join(data, 'corpus.jsonl'), `${corpus.join('\n')}\n`);
  writeFileSync(join(data, 'queries.jsonl'), `${queries.join('\n')}\n`);
  for (const [split, lines] of Object.entries({ train, dev })) {
    writeFileSync(join(data, 'qrels', `${split}.tsv`), `query-id\tcorpus-id\tscore\n${lines.join('\n')}\n`);
  }
  const run = join(folder, 'run');
  nearmiss('data', 'stats', data);
  nearmiss('train', '--data', data, '--recipe', join(import.meta.dirname, 'first-run.yaml'), '--out', run);
  // A pair that was not among the training queries.
  nearmiss('search', run, 'schwarz hund', '--k', '3', '--data', data);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
