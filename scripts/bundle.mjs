// `airlock validate` out of one file: to find, read and compile a hundred small modules takes longer than to judge half an
// hour of video. Its modules stay beside it, for everybody else.
import { renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build } from 'vite';

const ENTRY = 'cli/validate/command.js';
/** Modules that stay what they are: two whose errors and place others know, and what is loaded only when it is needed. */
const OUTSIDE = [
  'cli/exit.js',
  'cli/version.js',
  'cli/validate/other-container.js',
  'cli/validate/upload-check.js',
  'log.js',
];

/** `dist`: the folder into which the TypeScript compiler wrote. */
export async function bundleValidate(dist) {
  const entry = join(dist, ENTRY);
  const draft = `${dist}.bundle`;
  const outside = new Set(OUTSIDE.map((path) => join(dist, path)));
  const met = new Set();
  const keepOutside = {
    name: 'keep-outside',
    enforce: 'pre',
    resolveId(source, importer) {
      if (importer === undefined) return null;
      if (!source.startsWith('.')) return { id: source, external: true };
      const path = join(dirname(importer), source);
      if (!outside.has(path)) return null;
      met.add(path);
      const fromEntry = relative(dirname(entry), path).split(sep).join('/');
      return { id: fromEntry.startsWith('.') ? fromEntry : `./${fromEntry}`, external: true };
    },
  };
  await build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    plugins: [keepOutside],
    build: {
      ssr: entry,
      outDir: draft,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      reportCompressedSize: false,
      rolldownOptions: { output: { entryFileNames: 'command.js' } },
    },
  });
  const gone = [...outside].filter((path) => !met.has(path));
  if (gone.length > 0) throw new Error(`validate no longer imports ${gone.join(', ')}: scripts/bundle.mjs`);
  renameSync(join(draft, 'command.js'), entry);
  rmSync(draft, { recursive: true });
}
