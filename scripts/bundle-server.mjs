// Bundles the command line and the server: finding, reading and linking some thousand modules of the program and its
// libraries took half of the CPU time of a start, in each process of the server. The modules stay for `npm run bench`.
// Stack traces name the sources with NODE_OPTIONS=--enable-source-maps.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'vite';

/** Below `dist`: as deep as the modules that find files of the package from where they are. */
const FOLDER = 'server/bundle';
/** Modules that are imported or started from outside the bundle, by their names in it. */
const ENTRIES = {
  program: 'cli/program.js',
  role: 'server/roles/role.js',
  child: 'playback/child.js',
  'authority-thread': 'config/authority-thread.js',
};
/** Modules of `dist` that are replaced by references to the bundle. The others are looked up next to the module that starts them. */
const REPLACED = ['program', 'role'];
/**
 * Native code, packages that are loaded by path or find their own files, the libraries that create and order certificates, tables of
 * character sets, and the SDK of OpenTelemetry.
 */
const EXTERNAL = [
  'lmdb',
  'node-media-server',
  'fluent-ffmpeg',
  '@peculiar/x509',
  'reflect-metadata',
  'acme-client',
  'iconv-lite',
  // Installed or not, and loaded where traces are asked for.
  '@opentelemetry/sdk-trace-node',
  '@opentelemetry/resources',
  '@opentelemetry/exporter-trace-otlp-proto',
  '@opentelemetry/exporter-trace-otlp-http',
];
/** Their `__dirname`, which a bundle does not have, is read only for worker threads of the log and for stacks of debugging. */
const UNUSED_FOLDERS = /node_modules\/(?:pino|thread-stream|ioredis)\//;

const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Writes characters beyond Latin-1 as escapes: V8 keeps a source with one of them in two bytes a character. Without comments
 * they are left only where an escape means the same. The maps stay right but for columns behind such a character.
 */
const oneByteText = {
  name: 'one-byte-text',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\0-\xff]/g, escaped);
    }
  },
};

/** A library that looks for its own files would fail only when that code runs. */
const noFolders = {
  name: 'no-folders',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      for (const [id, { code }] of Object.entries(chunk.modules ?? {})) {
        if (!/\b__dirname\b/.test(code ?? '') || UNUSED_FOLDERS.test(id)) continue;
        this.error(`${id} looks for its own files: scripts/bundle-server.mjs`);
      }
    }
  },
};

/** `dist`: the folder into which the TypeScript compiler wrote. */
export async function bundleServer(dist) {
  const out = join(dist, FOLDER);
  const input = Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(dist, path)]));
  await build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    plugins: [noFolders, oneByteText],
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
        output: { format: 'esm', comments: false, entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
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
