/** Builds the pages into dist/dashboard/web: one document each, everything they load under /dashboard/assets/, hashed. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: here('.'),
  base: '/dashboard/',
  publicDir: false,
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: here('../../../dist/dashboard/web'),
    emptyOutDir: true,
    // The browser inside OBS 29 is Chromium 103.
    target: 'chrome103',
    cssTarget: 'chrome103',
    // A data: URL or an inline script would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // What is bundled keeps its licence beside it.
    license: { fileName: 'licenses.md' },
    rollupOptions: { input: [here('dock/index.html'), here('dashboard/index.html')] },
  },
});
