/** What looks at runs: half of all code, which somebody who searches never waits for. */
export function analyses(): Promise<typeof import('../../analyze/watch/index.js')> {
  return import('../../analyze/watch/index.js');
}
