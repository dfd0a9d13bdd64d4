import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeCollection } from '../src/serve/collection.fixture.js';

const CLI = resolve(import.meta.dirname, '../dist/cli/main.js');

let folder: string;
let data: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nearmiss-serve-cli-'));
  data = join(folder, 'data');
  await writeCollection(data, [{ id: 'dog', text: 'a black dog' }]);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const done = promisify(execFile)(process.execPath, [CLI, 'serve', ...args], { cwd: folder });
  return done.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
}

interface Running {
  url: string;
  lines: Record<string, unknown>[];
  signal(name: NodeJS.Signals): void;
  exit: Promise<number | null>;
}

async function serve(...args: string[]): Promise<Running> {
  const child = spawn(process.execPath, [CLI, 'serve', ...args, '--port', '0'], { cwd: folder });
  const lines: Record<string, unknown>[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => lines.push(JSON.parse(line)));
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  await expect.poll(() => lines.some(({ msg }) => msg === 'ready') || child.exitCode !== null).toBe(true);
  const address = lines.map(({ msg }) => /^listening on (.*)/.exec(String(msg))?.[1]).find(Boolean);
  return { url: address!, lines, signal: (name) => void child.kill(name), exit };
}

describe('nearmiss serve', () => {
  test('a port that is taken is told before anything is opened', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await run(data, '--port', String(port));
    taken.close();
    expect(code).toBe(1);
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is taken`);
    expect(stderr).toContain('--port');
    expect(stderr).not.toContain('preparing');
  });

  test('where there is nothing to search, no address is told', async () => {
    const empty = join(folder, 'emptied');
    await mkdir(empty);
    await writeFile(join(empty, 'page.md'), '# Page\n\nA near miss is something close.\n');
    const server = await serve(empty, '--mode', 'bm25');
    server.signal('SIGTERM');
    expect(await server.exit).toBe(0);
    // Its files are gone; what was made of them is still there.
    await rm(join(empty, 'page.md'));
    const { code, stderr } = await run(empty, '--port', '0');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^nearmiss: .*emptied: no collection found in this folder/);
    expect(stderr).not.toContain('listening');
  });

  test('names its address; SIGHUP looks for something newer; SIGTERM ends it', async () => {
    const server = await serve(data);
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    const info = async () =>
      (await fetch(`${server.url}/v1/info`)).json() as Promise<Record<string, unknown>>;
    const before = await info();
    expect(before).toMatchObject({ name: 'data', documents: 1, writable: true });
    await writeCollection(data, [
      { id: 'dog', text: 'a black dog' },
      { id: 'cat', text: 'a white cat' },
    ]);
    server.signal('SIGHUP');
    await expect.poll(() => server.lines.map(({ msg }) => msg)).toContain('reloaded');
    const after = await info();
    expect(after.documents).toBe(2);
    expect(after.version).not.toBe(before.version);
    server.signal('SIGTERM');
    expect(await server.exit).toBe(0);
  });

  test('--watch sees by itself that there is something newer', async () => {
    const server = await serve(data, '--read-only', '--watch', '0.2');
    await writeCollection(data, [{ id: 'owl', text: 'a grey owl' }]);
    await expect.poll(() => server.lines.map(({ msg }) => msg)).toContain('reloaded');
    expect((await fetch(`${server.url}/v1/documents/owl`)).status).toBe(200);
    server.signal('SIGINT');
    expect(await server.exit).toBe(0);
  });

  test('keys are made, listed, used and removed', async () => {
    const made = await run('keys', 'add', '--role', 'write', '--name', 'ci');
    expect(made.code).toBe(0);
    const key = made.stdout.trim();
    expect(key).toMatch(/^nm_[0-9a-f]{8}_[\w-]{43}$/);
    expect(made.stderr).toContain('it is not shown again');
    expect((await run('keys', 'list')).stdout).toMatch(/ci +write +\d{4}-\d\d-\d\d/);
    expect(await readFile(join(folder, 'nearmiss-keys.json'), 'utf8')).not.toContain(key.slice(12));

    // The file in the working folder counts without being named.
    const server = await serve(data, '--read-only');
    expect((await fetch(`${server.url}/v1/info`)).status).toBe(401);
    const headers = { authorization: `Bearer ${key}` };
    expect((await fetch(`${server.url}/v1/info`, { headers })).status).toBe(200);
    server.signal('SIGTERM');
    await server.exit;

    expect((await run('keys', 'remove', 'ci')).code).toBe(0);
    const again = await run('keys', 'remove', 'ci');
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('no key called "ci"')]);
    await rm(join(folder, 'nearmiss-keys.json'));
  });

  test('what cannot work is said: code 1, or 2 for a wrong command line', async () => {
    expect(await run('nowhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nowhere: no such run'),
    });
    expect(await run(data, '--host', '0.0.0.0')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/this machine alone[\s\S]*--insecure/),
    });
    expect(await run(data, '--keys', 'none.json')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('none.json: no such file'),
    });
    for (const args of [
      ['--port', '70000'],
      ['--log-level', 'loud'],
      ['--read-only', '--state', 'x'],
      ['--cors', 'app.example.com'],
      ['--rerank-first', 'bm25'],
    ]) {
      expect((await run(data, ...args)).code, args.join(' ')).toBe(2);
    }
  });
});
