import { defineConfig } from 'vite';

/** Where `npm run dev:web` finds the API: start `nearmiss serve DIR` beside it. */
const api = process.env.NEARMISS_URL ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The theme tokens are written with light-dark(): browsers since spring 2024, nothing to translate for older ones.
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The strict content security policy allows neither inline scripts nor data: URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // On a busy machine every build would warn about how long it took.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: { proxy: { '/v1': api, '/openapi.json': api } },
});
