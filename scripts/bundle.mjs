// `airlock validate` out of one file, with V8's code for it: to find, read and compile a hundred small modules takes longer
// than to judge half an hour of video. The modules are kept for all other commands.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { build } from 'vite';
import { plainFields } from './plain-fields.mjs';
import { warmUpRecording } from './warm-up-recording.mjs';

/** Below `dist`. The bundle is written there as well: as deep as the modules that find files of the package from where they are. */
const FOLDER = 'cli/validate';
const ENTRY = `${FOLDER}/command.js`;
/** Not in the bundle: it imports the rest when it is needed. */
const OUTSIDE = `${FOLDER}/on-demand.js`;
/** Commander starts commands that are programs of their own with it. There are none, and it takes Node 2 ms to load. */
const STARTS_OTHERS = 'node:child_process';
const EMPTY = '\0empty';

/** `dist`: the folder into which the TypeScript compiler wrote. */
export async function bundleValidate(dist) {
  const built = (path) => import(pathToFileURL(join(dist, path)).href);
  const { BUNDLE, BUNDLE_CODE, ON_DEMAND, compileBundle, runBundle } = await built(`${FOLDER}/bundle.js`);
  const file = join(dist, FOLDER, BUNDLE);
  writeFileSync(file, `(function (exports, require, __filename) {${await bundle(dist, ON_DEMAND)}\n})`);
  const script = compileBundle(file);
  await warmUp(runBundle(script, file), await warmUpRecording(built));
  // After a run, so that it holds the functions that a run calls: V8 compiles each when it is first called.
  writeFileSync(join(dist, FOLDER, BUNDLE_CODE), script.createCachedData());
}

async function bundle(dist, onDemand) {
  const draft = `${dist}.bundle`;
  let isOutside = false;
  const keepOutside = {
    name: 'keep-outside',
    enforce: 'pre',
    resolveId(source, importer) {
      if (source === STARTS_OTHERS && importer.includes('commander')) return EMPTY;
      if (importer === undefined || join(dirname(importer), source) !== join(dist, OUTSIDE)) return null;
      isOutside = true;
      return { id: onDemand, external: true };
    },
  };
  const emptyModule = { name: 'empty-module', load: (id) => (id === EMPTY ? 'export {};' : null) };
  await build({
    configFile: false,
    root: dist,
    logLevel: 'warn',
    plugins: [keepOutside, emptyModule, plainFields],
    ssr: { noExternal: ['commander'] },
    build: {
      ssr: join(dist, ENTRY),
      outDir: draft,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      reportCompressedSize: false,
      rolldownOptions: { output: { format: 'cjs', codeSplitting: false, entryFileNames: 'bundle.cjs' } },
    },
  });
  if (!isOutside) throw new Error(`validate no longer imports ${OUTSIDE}: scripts/bundle.mjs`);
  const text = readFileSync(join(draft, 'bundle.cjs'), 'utf8');
  rmSync(draft, { recursive: true });
  return text;
}

async function warmUp({ run }, recording) {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-build-'));
  try {
    writeFileSync(join(folder, 'recording.flv'), recording);
    const nowhere = () => new Writable({ write: (_bytes, _encoding, done) => done() });
    const io = { stdin: process.stdin, stdout: nowhere(), stderr: nowhere(), env: {}, cwd: folder };
    const code = await run(['validate', 'recording.flv'], io);
    if (code !== 1) throw new Error(`the recording with one fault gave exit code ${code}: scripts/bundle.mjs`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
