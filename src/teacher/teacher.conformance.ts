import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Teacher } from './teacher.js';

/** A teacher, made for the suite. */
export interface TeacherSubject {
  name: string;
  open(): Promise<Teacher>;
  /** Training queries and documents of which it knows some pairs. */
  members: readonly number[];
  documents: readonly number[];
}

/** What every teacher must do; one call for each. */
export function teacherConformance({ name, open, members, documents }: TeacherSubject): void {
  describe(`teacher ${name}`, () => {
    let teacher: Teacher;
    beforeAll(async () => {
      teacher = await open();
    });
    afterAll(() => teacher.close());
    const wanted = (): boolean => true;

    test('gives a finite score where it knows one, and nothing elsewhere', async () => {
      const { scores, known } = await teacher.scores({ members, documents, wanted });
      expect([scores.length, known.length]).toEqual(Array(2).fill(members.length * documents.length));
      expect(known.every((flag) => flag === 0 || flag === 1)).toBe(true);
      expect(
        scores.every((score, pair) => Number.isFinite(score) && (known[pair] === 1 || score === 0)),
      ).toBe(true);
      expect(new Set(scores.filter((_, pair) => known[pair] === 1)).size).toBeGreaterThan(1);
    });

    test("a pair's score does not depend on the batch", async () => {
      const whole = await teacher.scores({ members, documents, wanted });
      const [someMembers, someDocuments] = [members.toReversed().slice(1), documents.toReversed().slice(2)];
      const part = await teacher.scores({ members: someMembers, documents: someDocuments, wanted });
      someMembers.forEach((member, row) => {
        someDocuments.forEach((document, column) => {
          const there = members.indexOf(member) * documents.length + documents.indexOf(document);
          const here = row * someDocuments.length + column;
          expect(part.known[here]).toBe(whole.known[there]);
          expect(part.scores[here]).toBeCloseTo(whole.scores[there], 5);
        });
      });
    });

    test('knows nothing of texts that are not of the collection', async () => {
      const { scores, known } = await teacher.scores({ members, documents: [-1, documents[0], -1], wanted });
      members.forEach((_, row) => {
        for (const column of [0, 2]) {
          expect([scores[3 * row + column], known[3 * row + column]]).toEqual([0, 0]);
        }
      });
    });

    test('what no loss looks at may stay unknown, what one looks at may not', async () => {
      const whole = await teacher.scores({ members, documents, wanted });
      const onlyFirst = await teacher.scores({ members, documents, wanted: (_, document) => document === 0 });
      members.forEach((_, row) => {
        const place = row * documents.length;
        expect(onlyFirst.known[place]).toBe(whole.known[place]);
        expect(onlyFirst.scores[place]).toBeCloseTo(whole.scores[place], 5);
      });
    });
  });
}
