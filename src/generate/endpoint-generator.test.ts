import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { EndpointGenerator, type EndpointOptions } from './endpoint-generator.js';

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

interface Asked {
  path: string;
  key: string | undefined;
  body: { model: string; temperature: number; messages: { content: string }[] };
}

/** A service that answers request `n` as told. */
async function service(answer: (n: number, response: ServerResponse) => void) {
  const asked: Asked[] = [];
  server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push({ path: request.url!, key: request.headers.authorization, body: JSON.parse(text) });
      answer(asked.length - 1, response);
    });
  });
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

function say(response: ServerResponse, content: string): void {
  const usage = { prompt_tokens: 100, completion_tokens: 10 };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content } }], usage }));
}

const OPTIONS: Omit<EndpointOptions, 'url'> = {
  model: 'some-model',
  count: 2,
  temperature: 0.7,
  seed: 1,
  retries: 2,
  backoffSeconds: 0.001,
};
const PASSAGE = { key: 0, text: 'A near miss is {count} something that almost happened.' };

describe('a service elsewhere', () => {
  test('is asked with examples and a key, and its lines are queries', async () => {
    const { url, asked } = await service((_, response) =>
      say(
        response,
        'Here are two queries:\n1. what is a near miss\n2) "almost happened"\n- what is a NEAR miss\n',
      ),
    );
    const generator = new EndpointGenerator({
      ...OPTIONS,
      url,
      key: 'secret',
      examples: [{ passage: 'Owls hunt at night.', query: 'when do owls hunt' }],
      price: { read: 2, written: 10 },
    });
    expect(await generator.generate([PASSAGE])).toEqual([['what is a near miss', 'almost happened']]);
    const [{ path, key, body }] = asked;
    expect({ path, key, model: body.model }).toEqual({
      path: '/v1/chat/completions',
      key: 'Bearer secret',
      model: 'some-model',
    });
    expect(body.messages[0].content).toContain('Owls hunt at night.\nQueries:\nwhen do owls hunt');
    expect(body.messages[0].content).toContain('Passage: A near miss is {count} something');
    expect(generator.spent).toMatchObject({ read: 100, tokens: 10, retries: 0 });
    expect(generator.spent.cost).toBeCloseTo(0.0003, 9);
  });

  test('is asked again when it is busy, broken, talks nonsense or says nothing', async () => {
    const answers = [
      (response: ServerResponse) => response.writeHead(429, { 'retry-after': '0' }).end('slow down'),
      (response: ServerResponse) => response.end('<html>'),
      (response: ServerResponse) => say(response, ' \n'),
      (response: ServerResponse) => response.destroy(),
      (response: ServerResponse) => say(response, '["one", "two", 3]'),
    ];
    const { url } = await service((n, response) => answers[n](response));
    const generator = new EndpointGenerator({ ...OPTIONS, url, retries: 4 });
    expect(await generator.generate([PASSAGE])).toEqual([['one', 'two']]);
    expect(generator.spent.retries).toBe(4);
  });

  test.each([
    [
      'nonsense',
      (response: ServerResponse) => void response.end('{}'),
      /expected a chat completion, got "\{\}", 3 times, for the passage "A near miss/,
    ],
    [
      'a wrong key',
      (response: ServerResponse) => void response.writeHead(401).end('who are you'),
      /status 401: who are you/,
    ],
    ['silence', () => undefined, /no answer within 0.05 s, 3 times/, 0.05],
  ])('%s is a clear error', async (_, answer, message, timeoutSeconds = 60) => {
    const { url } = await service((__, response) => answer(response));
    const generator = new EndpointGenerator({ ...OPTIONS, url, timeoutSeconds });
    const failed = await generator.generate([PASSAGE]).catch((error) => error);
    expect(failed.message).toMatch(message);
    expect(failed.hint).toBeTruthy();
  });

  test('one that is not there is a clear error', async () => {
    const generator = new EndpointGenerator({ ...OPTIONS, url: 'http://127.0.0.1:9/v1' });
    await expect(generator.generate([PASSAGE])).rejects.toThrow(/not reachable/);
  });

  test('is not asked more often than allowed', async () => {
    const { url } = await service((_, response) => say(response, 'query'));
    const generator = new EndpointGenerator({ ...OPTIONS, url, perMinute: 60_000 / 400 });
    const started = performance.now();
    await generator.generate([0, 1, 2].map((key) => ({ ...PASSAGE, key })));
    // The third waits for two pauses of 400 ms.
    expect(performance.now() - started).toBeGreaterThan(790);
  });
});
