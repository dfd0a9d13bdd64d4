import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ParameterStore } from '../engine/index.js';
import { weightsFingerprint } from './folder/weights-fingerprint.js';

/** Folders that earlier versions wrote, and what they made of some texts. */
const EARLIER = resolve(import.meta.dirname, '../../test/models');

/** What every kind of model can do, whatever it makes of texts. */
export interface ModelKind<Model> {
  /** Of its folder among those of earlier versions. */
  name: string;
  /** A small model with random weights, decided by the seed. It cuts texts, and where it can it has prompts. */
  create(seed: number): Promise<Model>;
  save(folder: string, model: Model): Promise<void>;
  load(folder: string): Promise<Model>;
  /** Whether a folder holds a model of this kind. */
  holds(folder: string): Promise<boolean>;
  /** The weights, by tower. */
  parameters(model: Model): ParameterStore[];
  /** Everything but the weights and the tokenizer. */
  settings(model: Model): { maxLength: number } & Record<string, unknown>;
  /** What it makes of texts, by what it is called in `expected.json`. */
  outputs(model: Model, texts: readonly string[]): Promise<Record<string, Float32Array>>;
  /** The same from the folder's ONNX exports, run as others run them: a padded batch. */
  exported(folder: string, model: Model, texts: readonly string[]): Promise<Record<string, Float32Array>>;
}

const TEXTS = [
  'near miss',
  'A NEAR miss',
  'b',
  'near misses, a b: near a miss near a miss near a miss near a miss near a miss',
  '',
];

export function testModelKind<Model>(kind: ModelKind<Model>): void {
  const { name } = kind;
  const bytes = ({ buffer }: ParameterStore): Buffer => Buffer.from(buffer.buffer);
  const fingerprints = (model: Model): string[] => kind.parameters(model).map(weightsFingerprint);

  describe(name, () => {
    let root: string;
    let model: Model;
    let saved: string;
    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), 'nearmiss-kind-'));
      model = await kind.create(1);
      saved = join(root, 'saved');
      await kind.save(saved, model);
    });
    afterAll(() => rm(root, { recursive: true, force: true }));

    test('saved and loaded it has the same weights, settings and outputs, bit for bit', async () => {
      const loaded = await kind.load(saved);
      kind.parameters(loaded).forEach((parameters, tower) => {
        expect(bytes(parameters).equals(bytes(kind.parameters(model)[tower]))).toBe(true);
      });
      expect(kind.settings(loaded)).toEqual(kind.settings(model));
      const outputs = await kind.outputs(model, TEXTS);
      expect(await kind.outputs(loaded, TEXTS)).toEqual(outputs);
      for (const rows of Object.values(outputs)) expect(new Set(rows).size).toBeGreaterThan(TEXTS.length - 1);
    });

    test('a model that was loaded is saved as the same files', async () => {
      const again = join(root, 'again');
      await kind.save(again, await kind.load(saved));
      const files = await filesOf(saved);
      expect([...(await filesOf(again)).keys()]).toEqual([...files.keys()]);
      for (const [file, content] of await filesOf(again)) {
        // The card has the name of the folder that the model was loaded from.
        if (!file.endsWith('README.md')) expect(content.equals(files.get(file)!), file).toBe(true);
      }
    });

    test('is known by its folder, which may be moved', async () => {
      const moved = join(root, 'moved');
      await cp(saved, moved, { recursive: true });
      expect(await kind.holds(moved)).toBe(true);
      expect(fingerprints(await kind.load(moved))).toEqual(fingerprints(model));
    });

    test('the fingerprint is that of the weights, of each of them', async () => {
      const other = await kind.create(1);
      expect(fingerprints(other)).toEqual(fingerprints(model));
      for (const [tower, parameters] of kind.parameters(other).entries()) {
        for (const parameter of parameters.names) {
          const before = parameters.get(parameter)[0];
          parameters.get(parameter)[0] = before + 1;
          expect(fingerprints(other)[tower], parameter).not.toBe(fingerprints(model)[tower]);
          parameters.get(parameter)[0] = before;
        }
      }
      expect(fingerprints(await kind.create(2))).not.toEqual(fingerprints(model));
    });

    test('the ONNX export gives the same within 1e-5', async () => {
      const outputs = await kind.outputs(model, TEXTS);
      const exported = await kind.exported(saved, model, TEXTS);
      expect(Object.keys(exported)).toEqual(Object.keys(outputs));
      for (const [what, rows] of Object.entries(outputs)) expectClose(exported[what], rows);
    });

    test('what is longer than the model reads is cut', async () => {
      const loaded = await kind.load(saved);
      const text = 'near a miss '.repeat(kind.settings(loaded).maxLength);
      expect(await kind.outputs(loaded, [`${text} a b`])).toEqual(await kind.outputs(loaded, [text]));
      const outputs = await kind.outputs(loaded, ['near a miss near']);
      expect(await kind.outputs(loaded, ['near a miss'])).not.toEqual(outputs);
    });

    describe.each(['0.1.0'])('written by version %s', (version) => {
      test('it loads, with the same weights, settings and outputs', async () => {
        const { texts, [name]: expected } = JSON.parse(
          await readFile(join(EARLIER, version, 'expected.json'), 'utf8'),
        );
        const { fingerprints: known, settings, outputs } = expected;
        const loaded = await kind.load(join(EARLIER, version, name));
        expect(await kind.holds(join(EARLIER, version, name))).toBe(true);
        expect(fingerprints(loaded)).toEqual(known);
        expect(kind.settings(loaded)).toMatchObject(settings);
        const found = await kind.outputs(loaded, texts);
        expect(Object.keys(found)).toEqual(Object.keys(outputs));
        for (const [what, rows] of Object.entries<number[]>(outputs)) expectClose(found[what], rows);
      });
    });
  });
}

function expectClose(actual: Float32Array, expected: ArrayLike<number>): void {
  expect(actual.length).toBe(expected.length);
  actual.forEach((value, i) => {
    expect(Math.abs(value - expected[i]), `at ${i}: ${value} and ${expected[i]}`).toBeLessThan(1e-5);
  });
}

async function filesOf(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1));
  return new Map(
    await Promise.all(
      names.sort().map(async (name) => [name, await readFile(join(folder, name))] as [string, Buffer]),
    ),
  );
}
