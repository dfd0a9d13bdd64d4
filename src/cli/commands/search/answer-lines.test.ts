import { PassThrough } from 'node:stream';
import { text as readAll } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { NearmissError } from '../../../base/errors.js';
import { MemorySearcher } from '../../../serve/memory-searcher.fixture.js';
import { answerLines } from './answer-lines.js';

/** Cannot search for `bad`. */
class Picky extends MemorySearcher {
  override retriever(mode: 'bm25'): ReturnType<MemorySearcher['retriever']> {
    const retriever = super.retriever(mode);
    return {
      ...retriever,
      search: (queries, options) => {
        if (queries.includes('bad')) throw new NearmissError('too long', { hint: 'shorten it' });
        return retriever.search(queries, options);
      },
    };
  }
}

async function piped(lines: string, json = false) {
  const searcher = new Picky('v1', [
    { id: 'd1', text: 'reset your password' },
    { id: 'd2', text: ':) smile' },
  ]);
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  input.end(lines);
  const style = { colour: false, width: 80 };
  const settings = { modes: ['bm25'] as const, k: 1, json };
  const failed = await answerLines({ searcher, settings, style, input, output, errors });
  output.end();
  errors.end();
  return { failed, output: await readAll(output), errors: await readAll(errors) };
}

test('every line is a query, also one that would be a command at the prompt', async () => {
  const { failed, output, errors } = await piped(':help\n:) smile\n:k 0\n\n:q\npassword', true);
  const answers = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers.map(({ text, hits }) => [text, ...hits.map(({ id }: { id: string }) => id)])).toEqual([
    [':help'],
    [':) smile', 'd2'],
    [':k 0'],
    [':q'],
    ['password', 'd1'],
  ]);
  expect({ failed, errors }).toEqual({ failed: 0, errors: '' });
});

test('a query stands above its hits', async () => {
  const { output } = await piped('password\r\nno\x07thing\n');
  expect(output).toBe('password\n  1  1.0000  d1\n    reset your password\n\nno thing\nnothing found\n');
});

test('one that fails is told and counted, the others are answered', async () => {
  const { failed, output, errors } = await piped('bad\npassword\n');
  expect(failed).toBe(1);
  expect(errors).toBe('nearmiss: "bad": too long\n  → shorten it\n');
  expect(output).toMatch(/^password\n {2}1 /);
});
