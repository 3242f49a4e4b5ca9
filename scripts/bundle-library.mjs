// Bundles the library (`import 'airlock'`, `airlock/browser`) into files that import nothing but Node's own modules, and writes
// the declarations of its types.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'vite';
import { coreInFunction } from './core-in-function.mjs';

const ENTRIES = ['index', 'browser'];

/** `dist`: the folder into which the TypeScript compiler wrote. */
export async function bundleLibrary(root, dist) {
  const modules = join(dist, 'library');
  await build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    publicDir: false,
    plugins: [coreInFunction],
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: true,
      outDir: join(dist, 'library.next'),
      minify: true,
      target: 'es2023',
      reportCompressedSize: false,
      rolldownOptions: {
        input: Object.fromEntries(ENTRIES.map((name) => [name, join(modules, `${name}.js`)])),
        output: {
          comments: false,
          format: 'esm',
          entryFileNames: '[name].js',
          chunkFileNames: ({ name }) => `${/container|upload/.test(name) ? 'readers' : 'judge'}-[hash].js`,
        },
      },
    },
  });
  rmSync(modules, { recursive: true });
  mkdirSync(modules);
  const bundle = join(dist, 'library.next');
  for (const name of readdirSync(bundle)) copyFileSync(join(bundle, name), join(modules, name));
  rmSync(bundle, { recursive: true });
  writeTypes(root, dist);
}

/** Only what the entries name: internals keep their types to themselves. */
function writeTypes(root, dist) {
  const all = join(dist, 'types.next');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'src/library', '--outDir', all], {
    cwd: root,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(status ?? 1);
  const wanted = ENTRIES.map((name) => join(all, 'library', `${name}.d.ts`));
  for (const file of wanted) {
    const target = join(dist, 'types', relative(all, file));
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/(?:from |import\()['"](\.[^'"]+)\.js['"]/g)) {
      const imported = join(dirname(file), `${name}.d.ts`);
      if (!wanted.includes(imported)) wanted.push(imported);
    }
  }
  rmSync(all, { recursive: true });
}
