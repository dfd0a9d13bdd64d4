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
  body: {
    model: string;
    temperature: number;
    seed: number;
    max_tokens?: number;
    max_completion_tokens?: number;
    messages: { content: string }[];
  };
}

/** A service that answers request `n` as told. */
async function service(answer: (n: number, response: ServerResponse, asked: Asked) => void) {
  const asked: Asked[] = [];
  server = createServer((request: IncomingMessage, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push({ path: request.url!, key: request.headers.authorization, body: JSON.parse(text) });
      answer(asked.length - 1, response, asked.at(-1)!);
    });
  });
  await new Promise<void>((done) => server!.listen(0, '127.0.0.1', done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

const USAGE = { prompt_tokens: 100, completion_tokens: 10 };

function say(
  response: ServerResponse,
  content: string | null,
  more: { reason?: string; usage?: unknown } = {},
): void {
  const { reason = 'stop', usage = USAGE } = more;
  const choices = [{ message: { role: 'assistant', content }, finish_reason: reason }];
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices, usage }));
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
    const { url, asked } = await service((n, response) => answers[n](response));
    const reasons: string[] = [];
    const onRetry = (reason: string) => void reasons.push(reason);
    const generator = new EndpointGenerator({ ...OPTIONS, url, retries: 4, onRetry });
    expect(await generator.generate([PASSAGE])).toEqual([['one', 'two']]);
    expect(generator.spent.retries).toBe(4);
    expect(reasons[0]).toBe('status 429: slow down');
    // With the same seed a service says the same again.
    expect(new Set(asked.map(({ body }) => body.seed)).size).toBe(5);
  });

  test('nothing to say about a passage keeps none of the others from being asked about', async () => {
    const { url, asked } = await service((_, response, { body }) => {
      const { content } = body.messages[0];
      if (content.includes('refused')) return say(response, null);
      if (content.includes('long')) return void response.writeHead(400).end('too long');
      say(response, 'query');
    });
    const generator = new EndpointGenerator({ ...OPTIONS, url });
    const passages = ['good', 'refused', 'long', 'good'].map((text, key) => ({ key, text }));
    const written = [];
    for (const passage of passages) written.push(...(await generator.generate([passage])));
    expect(written).toEqual([['query'], [], [], ['query']]);
    expect(generator.spent.without).toEqual({ passages: 2, reason: 'status 400: too long' });
    // What is refused for good is not asked again.
    expect(asked.length).toBe(1 + 3 + 1 + 1);
  });

  test('nothing to say any more is an error', async () => {
    const { url } = await service((n, response) => say(response, n === 0 ? 'query' : ''));
    const generator = new EndpointGenerator({ ...OPTIONS, url, retries: 0 });
    await generator.generate([PASSAGE]);
    for (let i = 0; i < 10; i++) expect(await generator.generate([PASSAGE])).toEqual([[]]);
    await expect(generator.generate([PASSAGE])).rejects.toThrow('the answer has no queries');
  });

  test('one that fails for good does not wait for the others', async () => {
    const { url } = await service((_, response, { body }) => {
      const { content } = body.messages[0];
      const answer = (): void => void response.writeHead(404).end('no such model');
      if (content.includes('wrong')) waiting.then(answer);
      else {
        response.on('close', () => closed());
        arrived();
      }
    });
    let arrived = (): void => undefined;
    const waiting = new Promise<void>((done) => {
      arrived = done;
    });
    let closed = (): void => undefined;
    const left = new Promise<void>((done) => {
      closed = done;
    });
    const generator = new EndpointGenerator({ ...OPTIONS, url, timeoutSeconds: 3600 });
    const passages = [PASSAGE, { key: 1, text: 'wrong' }];
    await expect(generator.generate(passages)).rejects.toThrow('status 404: no such model');
    // The one that was never answered is given up.
    await left;
  });

  test('answers that were cut off, without a count of tokens, of a service that calls their limit otherwise', async () => {
    const { url, asked } = await service((n, response) => {
      if (n === 0) return void response.writeHead(400).end('use max_completion_tokens instead of max_tokens');
      say(response, 'what is a near miss\nwhat is', { reason: 'length', usage: null });
    });
    const generator = new EndpointGenerator({ ...OPTIONS, url, price: { read: 1, written: 1 } });
    expect(await generator.generate([PASSAGE])).toEqual([['what is a near miss']]);
    expect(generator.spent).toEqual({ tokens: 0, read: 0, retries: 0 });
    await generator.generate([PASSAGE]);
    expect(asked.map(({ body }) => [body.max_tokens, body.max_completion_tokens])).toEqual([
      [128, undefined],
      [undefined, 128],
      [undefined, 128],
    ]);
  });

  test('a wish to be left alone for hours is told', async () => {
    const later = new Date(Date.now() + 7_500_000).toUTCString();
    const { url } = await service(
      (_, response) => void response.writeHead(429, { 'retry-after': later }).end('come back'),
    );
    const generator = new EndpointGenerator({ ...OPTIONS, url });
    await expect(generator.generate([PASSAGE])).rejects.toThrow(/status 429: come back.*asks to wait 2 h/);
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
    await expect(generator.generate([PASSAGE])).rejects.toThrow(/not reachable \(.+\), 3 times/);
  });

  test('what is no address is told before anything is asked', () => {
    const url = 'http://localhost:99999/v1';
    expect(() => new EndpointGenerator({ ...OPTIONS, url })).toThrow(/expected the address of a service/);
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
