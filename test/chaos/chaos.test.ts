import { expect, test } from 'vitest';
import { Tally } from './outcome.js';
import { spoilFiles } from './spoilt-files.js';
import { SUBJECTS } from './subjects.js';

test.each(SUBJECTS.map((subject) => [subject.name, subject] as const))(
  '%s: whatever happens to a file, the same result or an error that names it',
  async (_, subject) => {
    const tally = new Tally();
    await spoilFiles(subject, tally, { seed: 1, rounds: 2 });
    expect(tally.broken).toEqual([]);
    expect(tally.corrupted).toBeGreaterThan(10);
  },
);
