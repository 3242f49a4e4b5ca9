/** The processes that no stranger may slow load no code that handles input of strangers (docs/ARCHITECTURE.md, The processes). */
import { posix } from 'node:path';
import { parseSource } from './parsed-source.js';
import { allSourceFiles, isBelow, read } from './source-files.js';

const parsed = new Map(
  allSourceFiles().map((path) => [path.slice('src/'.length), parseSource(read(path), path.endsWith('.tsx'))]),
);

/** All files that are loaded with this one: type imports vanish. */
function loadedWith(entry: string, seen = new Set<string>()): Set<string> {
  if (seen.has(entry)) return seen;
  seen.add(entry);
  for (const { specifier, typeOnly } of parsed.get(entry)?.imports ?? []) {
    const target = posix.join(posix.dirname(entry), specifier).replace(/\.js$/, '.ts');
    if (!typeOnly && specifier.startsWith('.') && parsed.has(target)) loadedWith(target, seen);
  }
  return seen;
}

/** What parses requests, streams and files of others. */
const STRANGERS = ['api', 'ingest', 'rtmp', 'media', 'broadcasts', 'dashboard', 'playback', 'probe', 'vod', 'webhook'];

test.each([
  ['the supervisor', ['server/serve.ts', 'server/supervisor/supervisor.ts']],
  ['the store process', ['server/roles/store.ts', 'store/lmdb/lmdb-store.ts', 'store/remote/server.ts']],
])('%s loads no code that handles input of strangers', (_process, entries) => {
  const loaded = entries.flatMap((entry) => [...loadedWith(entry)]);
  expect(loaded.length).toBeGreaterThan(entries.length);
  expect(loaded.filter((file) => STRANGERS.some((module) => isBelow(file, module)))).toEqual([]);
});
