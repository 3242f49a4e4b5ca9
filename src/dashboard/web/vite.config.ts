/** Builds the pages into dist/dashboard/web: one document each, everything they load under /dashboard/assets/, hashed. */
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { FAULTS } from './shared/faults.js';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Bundles the value of shared/faults.ts instead of all rules. */
const faultsAsData: Plugin = {
  name: 'faults-as-data',
  load: (id) => (id === here('shared/faults.ts') ? `export const FAULTS = ${JSON.stringify(FAULTS)};` : null),
};

export default defineConfig({
  root: here('.'),
  base: '/dashboard/',
  publicDir: false,
  plugins: [faultsAsData],
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
