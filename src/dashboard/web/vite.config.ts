/** Builds the pages into dist/dashboard/web: one document each, with hashed assets below /dashboard/assets/. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import { defineConfig, type Plugin } from 'vite';
import { coreInFunction } from '../../../scripts/core-in-function.mjs';
import { FAULTS } from './shared/faults.js';

/** Placeholder, equal to that in `../pages.ts`. */
const NONCE = 'AIRLOCK_NONCE';

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Evaluates shared/faults.ts at build time, so that the rules are not bundled. */
const faultsAsData: Plugin = {
  name: 'faults-as-data',
  load: (id) => (id === here('shared/faults.ts') ? `export const FAULTS = ${JSON.stringify(FAULTS)};` : null),
};

/** The page that checks files, alone: `npm run build:check` puts it into a folder for any web host (mode `check`). */
const checkAlone: Plugin = {
  name: 'check-alone',
  enforce: 'pre',
  resolveId: (source, importer) =>
    source === './start-worker.js' && importer?.startsWith(here('check')) === true
      ? here('check/start-worker.static.ts')
      : null,
  // No host can be told a policy: the document has it, and its worker, a blob, takes it over.
  transformIndexHtml: () => [
    {
      tag: 'meta',
      attrs: { 'http-equiv': 'Content-Security-Policy', content: ALONE_POLICY },
      injectTo: 'head-prepend',
    },
  ],
};

const ALONE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  'worker-src blob:',
  "connect-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export default defineConfig(({ mode }) => ({
  root: mode === 'check' ? here('check') : here('.'),
  base: mode === 'check' ? './' : '/dashboard/',
  publicDir: false,
  plugins: [faultsAsData, tailwindcss(), ...(mode === 'check' ? [checkAlone] : [])],
  // The judge of /check/, with bounds of its own for each call.
  worker: {
    format: 'es',
    plugins: () => [coreInFunction],
    // One file: a blob has no other files beside it.
    rolldownOptions: { output: { codeSplitting: false } },
  },
  define: { AIRLOCK_VERSION: JSON.stringify(version) },
  // Replaced in each answer: a style that a component adds needs the nonce of its page.
  html: mode === 'check' ? {} : { cspNonce: NONCE },
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  build: {
    outDir: here(mode === 'check' ? '../../../dist.check' : '../../../dist/dashboard/web'),
    emptyOutDir: true,
    // The browser inside OBS 29 is Chromium 103.
    target: 'chrome103',
    cssTarget: 'chrome103',
    // data: URLs and inline scripts would need a weaker content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Ships the licenses of the bundled packages.
    license: { fileName: 'licenses.md' },
    rollupOptions: {
      // Radix marks its modules for servers that render React; there is none here.
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
      input:
        mode === 'check'
          ? [here('check/index.html')]
          : ['check', 'dashboard', 'dashboard/wall', 'dock', 'docs'].map((page) => here(`${page}/index.html`)),
    },
  },
}));
