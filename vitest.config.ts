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
    testTimeout: 60_000,
    hookTimeout: 60_000,
    ...(folder && { env: { TMPDIR: folder } }),
  },
});
