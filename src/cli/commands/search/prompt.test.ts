import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NearmissError } from '../../../base/errors.js';
import type { SearchMode } from '../../../search/retrievers/retriever.js';
import { MemorySearcher } from '../../../serve/memory-searcher.fixture.js';
import { runPrompt } from './prompt.js';

class WordsOnly extends MemorySearcher {
  override retriever(mode: SearchMode): ReturnType<MemorySearcher['retriever']> {
    if (mode === 'bm25' || mode === 'hybrid') return super.retriever(mode);
    throw new NearmissError(`cannot search in mode "${mode}"`, { hint: 'give a model' });
  }
}

/** What a session that types these lines shows, without the codes that move the cursor. */
async function typed(...lines: string[]): Promise<{ output: string; errors: string }> {
  const searcher = new WordsOnly('v1', [
    { id: 'd1', text: 'reset your password' },
    { id: 'd2', text: 'a password of twelve letters' },
  ]);
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const style = { colour: false, width: 80 };
  const done = runPrompt({ searcher, settings: { modes: ['bm25'], k: 10 }, style, input, output, errors });
  input.end(`${lines.join('\n')}\n`);
  await done;
  output.end();
  errors.end();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: codes of the terminal are what is looked for
  return { output: (await readAll(output)).replace(/\x1b\[\d*[A-Z]/g, ''), errors: await readAll(errors) };
}

test('queries are answered as the settings are at that time', async () => {
  const { output, errors } = await typed('password', ':k 1', ':mode hybrid', 'password');
  expect(output.match(/ {2}\d {2}1\.0000 {2}d\d$/gm)).toHaveLength(3);
  expect(output).toContain('hybrid> ');
  expect(errors).toBe('');
});

test('a mistake is told and the next line is read; :quit ends', async () => {
  const { output, errors } = await typed(
    ':mod dense',
    ':mode cascade',
    ':k 0',
    'password',
    ':open 1',
    ':open 9',
    ':quit',
    'letters',
  );
  expect(errors).toContain('unknown command :mod\n  → did you mean :mode?\n');
  expect(errors).toContain('cannot search in mode "cascade"\n  → give a model\n');
  expect(errors).toContain('expected a whole number from 1, got "0"\n  → for example :k 20\n');
  expect(errors).toContain('no hit 9, the last search has 2\n');
  expect(output.match(/ {2}1 {2}1\.0000/g)).toHaveLength(1);
  expect(output).toContain('d1\n\nreset your password\n');
});

test(':help says what there is', async () => {
  expect((await typed(':help')).output).toContain(':filter COND');
});
