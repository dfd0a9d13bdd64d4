import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { NearmissError } from '../../base/errors.js';
import { exists } from '../../base/files.js';
import { readJsonFile, writeJsonFile } from '../../base/json-file.js';

const SETTINGS_FILE = 'demo.json';

/** What a demo's folder was begun as. It goes on only as that. */
const settingsSchema = z.object({
  format: z.literal(1),
  size: z.string(),
  seed: z.number(),
  /** Fingerprints of the recipes, which may differ between versions of nearmiss. */
  recipes: z.record(z.string(), z.string()),
});

export type DemoSettings = z.infer<typeof settingsSchema>;

/** Where a demo keeps its things. */
export class DemoFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  file(...names: string[]): string {
    return join(this.path, ...names);
  }

  get data(): string {
    return this.file('data');
  }

  get report(): string {
    return this.file('report');
  }

  /** Whether an earlier start has begun with it; refuses a folder of another demo or of anything else. */
  async isBegun(settings: DemoSettings): Promise<boolean> {
    const path = this.file(SETTINGS_FILE);
    if (await exists(path)) {
      checkSame(this.path, await readJsonFile(path, settingsSchema), settings);
      return true;
    }
    const names = await readdir(this.path).catch((): string[] => []);
    if (names.length === 0) return false;
    throw new NearmissError(
      `${this.path}: expected a new folder or one of an earlier demo, got other files`,
      {
        hint: 'choose another with --out',
      },
    );
  }

  /** Makes the folder; fails where nothing can be written, before any work is done. */
  async begin(settings: DemoSettings): Promise<void> {
    await writeJsonFile(this.file(SETTINGS_FILE), settings);
  }
}

function checkSame(path: string, begun: DemoSettings, wanted: DemoSettings): void {
  const hint = `choose another folder with --out, or remove this one: rm -r ${path}`;
  for (const name of ['size', 'seed'] as const) {
    if (begun[name] === wanted[name]) continue;
    throw new NearmissError(
      `${path}: this demo was begun with ${name} ${begun[name]}, expected ${wanted[name]}`,
      { hint },
    );
  }
  if (JSON.stringify(begun.recipes) !== JSON.stringify(wanted.recipes)) {
    throw new NearmissError(`${path}: this demo was begun with other recipes (another version of nearmiss)`, {
      hint,
    });
  }
}
