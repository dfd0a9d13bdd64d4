import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFilesIn } from '../base/open-files.fixture.js';
import type { Document } from '../data/index.js';
import type { DocumentStore } from './document-store.js';

/** A store that is open, and how to let go of it. */
export interface OpenStore {
  documents: DocumentStore;
  /** The order of the ids. Default: that of the documents. */
  order?: readonly string[];
  /** Where its files are; none unless given. */
  folder?: string;
  close(): Promise<void>;
}

/** Ids as collections have them, among them such as only look like properties of every object. */
const id = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'toString', '0', '-1', 'd 1', 'd"2', 'Ä', '😀'),
  fc.string({ minLength: 1, maxLength: 8, unit: fc.constantFrom(...'abcXYZ019 /%\'"\\{}é日') }),
);

const document: fc.Arbitrary<Document> = fc.record(
  {
    id,
    title: fc.string({ unit: 'grapheme' }),
    text: fc.string({ unit: 'grapheme' }),
    metadata: fc.record({
      n: fc.integer(),
      tags: fc.array(fc.string()),
      deep: fc.record({ a: fc.boolean() }),
    }),
  },
  { requiredKeys: ['id', 'title', 'text'] },
);

const collection = fc.uniqueArray(document, { selector: (each) => each.id, minLength: 1, maxLength: 12 });

/**
 * Every store of documents must pass this.
 *
 * @param open makes a store that holds these documents
 */
export function testDocumentStore(name: string, open: (documents: Document[]) => Promise<OpenStore>): void {
  test(`${name}: gives the documents back as they are, and nothing else`, async () => {
    await fc.assert(
      fc.asyncProperty(collection, fc.array(id), async (all, others) => {
        const { documents, order, close } = await open(all);
        try {
          const ids = all.map((each) => each.id);
          const known = new Map(all.map((each) => [each.id, each]));
          expect(documents.count).toBe(all.length);
          expect([...documents.ids()]).toEqual(order ?? ids);
          // Some twice, some that there are not, in any order.
          const asked = [...others, ...[...ids].reverse(), ...ids, ...others];
          const expected = asked.map((each) => known.get(each));
          expect(await documents.getAll(asked)).toEqual(expected);
          expect(await Promise.all(asked.map((each) => documents.get(each)))).toEqual(expected);
          expect(asked.map((each) => documents.has(each))).toEqual(asked.map((each) => known.has(each)));
          expect(await documents.getAll([])).toEqual([]);
        } finally {
          await close();
        }
      }),
      { numRuns: 8, seed: 3 },
    );
  });

  test(`${name}: what it gives is the caller's own`, async () => {
    const ids = ['a', 'b', 'c'];
    const made = (): Document[] =>
      ids.map((each) => ({ id: each, title: 'A', text: each, metadata: { tags: ['one'] } }));
    const { documents, close } = await open(made());
    const given = [await Promise.all(ids.map((each) => documents.get(each))), await documents.getAll(ids)];
    try {
      for (const each of given.flat()) {
        each!.text = 'changed';
        (each!.metadata!.tags as string[]).push('changed');
      }
      expect(await Promise.all(ids.map((each) => documents.get(each)))).toEqual(made());
      expect(await documents.getAll(ids)).toEqual(made());
    } finally {
      await close();
    }
  });

  test(`${name}: ids that are half read keep nothing open; closing twice does no harm`, async () => {
    const { documents, folder, close } = await open(
      ['a', 'b', 'c'].map((each) => ({ id: each, title: '', text: each })),
    );
    for (const _ of documents.ids()) break;
    const [first, second] = [documents.ids()[Symbol.iterator](), documents.ids()[Symbol.iterator]()];
    expect([first.next().value, second.next().value]).toEqual(['a', 'a']);
    expect([...documents.ids()]).toHaveLength(3);
    await close();
    if (folder !== undefined) expect(await openFilesIn(folder), 'files left open').toEqual([]);
    expect([first.next().value, second.next().value]).toEqual(['b', 'b']);
    await documents.close();
    await documents.close();
  });
}
