import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { parseJson, readJsonFile, writeSealedJsonFile } from './json-file.js';

const schema = z.object({ step: z.int().min(1), nested: z.object({ kind: z.enum(['a', 'b']) }).optional() });
const parse = (text: string): unknown => parseJson(text, { where: 'state.json', schema });

test('returns what the schema accepts', () => {
  expect(parse('{"step": 3}')).toEqual({ step: 3 });
});

test.each([
  ['{"step": "three"}', 'state.json: field "step": expected number, got the text "three"'],
  ['{}', 'state.json: field "step": expected number, got nothing'],
  ['{"step": 0}', 'state.json: field "step": expected number to be >=1, got a number (0)'],
  ['{"step": 1, "nested": {"kind": "c"}}', 'field "nested.kind": expected one of "a"|"b", got the text "c"'],
  ['[]', 'state.json: expected object, got an array of 0'],
  ['{\n "step": 1,\n}', 'state.json:3: not valid JSON: '],
  ['', 'state.json: not valid JSON: '],
])('explains what is wrong with %s', (text, message) => {
  expect(() => parse(text)).toThrow(message);
});

test('names a file that is not there and passes the hint on', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-json-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'state.json');
  await expect(readJsonFile(path, schema, { hint: 'start a run first' })).rejects.toMatchObject({
    message: `${path}: no such file`,
    hint: 'start a run first',
  });
  await writeFile(path, '{"step": 7}');
  expect(await readJsonFile(path, schema)).toEqual({ step: 7 });
});

test('a sealed file that was altered anywhere is refused by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nearmiss-json-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'state.json');
  const value = { step: 1024, nested: { kind: 'a' }, absent: undefined, zero: -0, 7: 'seven' };
  await writeSealedJsonFile(path, value);
  const loose = z.looseObject({});
  expect(await readJsonFile(path, loose)).toEqual({ step: 1024, nested: { kind: 'a' }, zero: 0, 7: 'seven' });
  const text = await readFile(path, 'utf8');
  const other = text.replace('1024', '1025');
  const alterations = [
    other,
    text.replace('"a"', '"b"'),
    text.replace('"step"', '"stop"'),
    other.replace('contentSha256', 'contentShb256'),
    other.replace('sealed', 'sealdd'),
  ];
  for (const altered of alterations) {
    await writeFile(path, altered);
    await expect(readJsonFile(path, loose, { hint: 'make it again' })).rejects.toMatchObject({
      message: `${path}: the file is damaged: its content does not match its checksum`,
      hint: 'make it again',
    });
  }
  await writeFile(path, JSON.stringify(JSON.parse(text)));
  expect(await readJsonFile(path, schema)).toMatchObject({ step: 1024 });
});
