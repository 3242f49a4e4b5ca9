// Bundles the command line and the server: finding, reading and linking some thousand modules of the program and its
// libraries took half of the CPU time of a start, in each process of the server. The modules stay for `npm run bench`.
// Stack traces name the sources with NODE_OPTIONS=--enable-source-maps.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'vite';

/** Below `dist`: as deep as the modules that find files of the package from where they are. */
const FOLDER = 'server/bundle';
/** Modules that are imported or started from outside the bundle, by their names in it. */
const ENTRIES = { program: 'cli/program.js', role: 'server/roles/role.js', child: 'playback/child.js' };
/** Modules of `dist` that are replaced by references to the bundle. `child` is looked up next to the module that starts it. */
const REPLACED = ['program', 'role'];
/** Native code, packages that are loaded by path, and the library that creates certificates. */
const EXTERNAL = ['lmdb', 'node-media-server', '@peculiar/x509', 'reflect-metadata'];

/** `dist`: the folder into which the TypeScript compiler wrote. */
export async function bundleServer(dist) {
  const out = join(dist, FOLDER);
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(dist, path)]));
  await build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: true,
      outDir: out,
      emptyOutDir: true,
      minify: false,
      sourcemap: true,
      target: 'node20',
      reportCompressedSize: false,
      rolldownOptions: {
        input,
        output: { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
      },
    },
  });
  for (const name of REPLACED) {
    const module = join(dist, ENTRIES[name]);
    const path = relative(dirname(module), join(out, `${name}.js`));
    writeFileSync(module, `export * from '${path.startsWith('.') ? path : `./${path}`}';\n`);
    rmSync(`${module}.map`, { force: true });
  }
}
