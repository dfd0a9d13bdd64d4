/**
 * Where a worker thread's or child process's entry file is. Node.js runs only the compiled JavaScript, so
 * when the caller itself runs from `src/` (tests, benchmarks), its twin under `dist/` is named.
 *
 * @example
 * new Worker(workerUrl(import.meta.url, './search-worker.js'));
 */
export function workerUrl(callerUrl: string, relative: string): URL {
  const url = new URL(relative, callerUrl);
  if (callerUrl.endsWith('.ts')) url.pathname = url.pathname.replace(/\/src\/(?!.*\/src\/)/, '/dist/');
  return url;
}
