/** Builds the pages into dist/dashboard/web: one document each, with hashed assets below /dashboard/assets/. */
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { FAULTS } from './shared/faults.js';

/** Placeholder, equal to that in `../pages.ts`. */
const NONCE = 'AIRLOCK_NONCE';

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Evaluates shared/faults.ts at build time, so that the rules are not bundled. */
const faultsAsData: Plugin = {
  name: 'faults-as-data',
  load: (id) => (id === here('shared/faults.ts') ? `export const FAULTS = ${JSON.stringify(FAULTS)};` : null),
};

export default defineConfig({
  root: here('.'),
  base: '/dashboard/',
  publicDir: false,
  plugins: [faultsAsData, tailwindcss()],
  // Replaced in each answer: a style that a component adds needs the nonce of its page.
  html: { cspNonce: NONCE },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  build: {
    outDir: here('../../../dist/dashboard/web'),
    emptyOutDir: true,
    // The browser inside OBS 29 is Chromium 103.
    target: 'chrome103',
    cssTarget: 'chrome103',
    // data: URLs and inline scripts would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // The renderer of /docs/ is one file of 1.5 MB, which only that page loads.
    chunkSizeWarningLimit: 2_000,
    // Ships the licenses of the bundled packages.
    license: { fileName: 'licenses.md' },
    rollupOptions: {
      // Radix marks its modules for servers that render React; there is none here.
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
      input: [here('dock/index.html'), here('dashboard/index.html'), here('docs/index.html')],
    },
  },
});
