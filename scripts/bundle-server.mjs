// Bundles the command line and the server: finding, reading and linking some thousand modules of the program and its
// libraries took half of the CPU time of a start, in each process of the server. The modules stay for `npm run bench`.
// Stack traces name the sources with NODE_OPTIONS=--enable-source-maps.
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'vite';

/** Below `dist`: as deep as the modules that find files of the package from where they are. */
const FOLDER = 'server/bundle';
/** Programs, by their names in the bundle. In CommonJS, because V8's code of a module of Node cannot be stored. */
const PROGRAMS = {
  program: 'cli/program.js',
  role: 'server/roles/role.js',
};
/** What a program starts as a process or thread of its own, looked up next to it. */
const STARTED = {
  child: 'playback/child/child.js',
  'authority-thread': 'config/certificates/authority-thread.js',
};
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
 * Writes characters beyond ASCII as escapes: V8 keeps a source with one of them beyond Latin-1 in two bytes a character, and ASCII
 * is read without being decoded. Without comments they are left only where an escape means the same. The maps stay right but
 * for columns behind such a character.
 */
const oneByteText = {
  name: 'one-byte-text',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type === 'chunk') chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped);
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
  await bundle(dist, PROGRAMS, { format: 'cjs', dynamicImportInCjs: false, ...names('cjs') });
  await bundle(dist, STARTED, { format: 'esm', ...names('js') });
  // The modules are replaced by references.
  for (const [name, path] of Object.entries(PROGRAMS)) {
    const module = join(dist, path);
    const exported = Object.keys(createRequire(module)(join(out, `${name}.cjs`))).join(', ');
    writeFileSync(module, `export { ${exported} } from '${relative(dirname(module), join(out, `${name}.cjs`))}';\n`);
    rmSync(`${module}.map`, { force: true });
  }
  await storeCode(dist);
}

const names = (type) => ({ entryFileNames: `[name].${type}`, chunkFileNames: `[name]-[hash].${type}` });

const bundle = (dist, entries, output) =>
  build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    plugins: [noFolders, oneByteText],
    ssr: { noExternal: true, external: EXTERNAL },
    build: {
      ssr: true,
      outDir: join(dist, FOLDER),
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      target: 'node20',
      reportCompressedSize: false,
      rolldownOptions: {
        input: Object.fromEntries(Object.entries(entries).map(([name, path]) => [name, join(dist, path)])),
        output: { comments: false, ...output },
      },
    },
  });

/** With the flags of each process, without which V8 rejects the code. */
async function storeCode(dist) {
  const { V8_FLAGS } = await import(pathToFileURL(join(dist, 'server/system/v8-flags.js')).href);
  const program = fileURLToPath(new URL('store-code.mjs', import.meta.url));
  for (const [name, flags] of Object.entries({ ...V8_FLAGS, command: [] }))
    execFileSync(process.execPath, [...flags, program, dist, name], { stdio: 'inherit' });
}
