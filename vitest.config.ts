import { defineConfig } from 'vitest/config';
import { memoryFolder } from './test/memory-folder.js';

const folder = memoryFolder();

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'web/src/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    pool: 'forks',
    // The native engine already uses every core; more files at once only slow each other down.
    maxWorkers: 2,
    // What hangs is told, but no machine is too slow: tests set no times of their own, and wait with expect.poll.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    expect: { poll: { timeout: 120_000 } },
    ...(folder && { env: { TMPDIR: folder } }),
  },
});
