/** What the package holds, and what is made of it for a release. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { TRACE_PACKAGES } from '../../src/config/traces.js';
import { read } from './source-files.js';

const ROOT = join(import.meta.dirname, '../..');

function run(program: string, ...args: string[]) {
  return spawnSync(program, args, { cwd: ROOT, encoding: 'utf8' });
}

test('the package holds the program, schemas and samples, without sources, tests, maps and code of one version of V8', () => {
  const [packed] = JSON.parse(run('npm', 'pack', '--dry-run', '--json', '--ignore-scripts').stdout) as [
    { size: number; files: { path: string }[] },
  ];
  const paths = packed.files.map(({ path }) => path);
  const known = /^(dist\/|bin\/airlock\.js$|docs\/[\w.]+\.schema\.json$|examples\/specs\/|package\.json$|README\.md$)/;
  expect(paths.filter((path) => !known.test(path) || /\.(?:map|v8)$/.test(path))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['package.json', 'docs/spec.schema.json', 'README.md']));
  expect(packed.size).toBeLessThan(5_000_000);
});

test('the media tools and the SDK of traces are left out by `--omit=optional`, and only the required ones are in both lists', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
  const { '@ffmpeg-installer/ffmpeg': ffmpeg, 'ffprobe-static': ffprobe, ...others } = optionalDependencies;
  expect(others).toEqual(TRACE_PACKAGES);
  expect(dependencies).toMatchObject({ '@ffmpeg-installer/ffmpeg': ffmpeg, 'ffprobe-static': ffprobe });
  expect(Object.keys(others).filter((name) => Object.hasOwn(dependencies, name))).toEqual([]);
  const { packages } = JSON.parse(read('package-lock.json'));
  for (const name of Object.keys(optionalDependencies)) {
    expect(packages[`node_modules/${name}`]).toMatchObject({ optional: true });
  }
});

test('every package of the lock file has its hash, and none the address that it came from', () => {
  const { packages }: { packages: Record<string, { inBundle?: true; integrity?: string; resolved?: string }> } =
    JSON.parse(read('package-lock.json'));
  const { '': _root, ...installed } = packages;
  const entries = Object.entries(installed);
  expect(entries.length).toBeGreaterThan(900);
  // Bundled packages lie in the archive of another one, whose hash holds for them.
  const hashed = (path: string): boolean => {
    const { inBundle, integrity } = installed[path] ?? {};
    if (inBundle === true) return hashed(path.slice(0, path.lastIndexOf('/node_modules/')));
    return integrity?.startsWith('sha512-') ?? false;
  };
  expect(Object.keys(installed).filter((path) => !hashed(path))).toEqual([]);
  expect(entries.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  const { dependencies, optionalDependencies, devDependencies } = JSON.parse(read('package.json'));
  for (const version of Object.values({ ...dependencies, ...optionalDependencies, ...devDependencies }))
    expect(version).toMatch(/^\d[\w.-]*$/);
});

test('the notes of a release are its section of the changelog', () => {
  const { version } = JSON.parse(read('package.json'));
  const { status, stdout } = run(process.execPath, 'scripts/release-notes.mjs');
  expect(status).toBe(0);
  expect(read('CHANGELOG.md')).toContain(`## ${version}\n\n${stdout}`);
  expect(run(process.execPath, 'scripts/release-notes.mjs', '9.9.9')).toMatchObject({
    status: 1,
    stderr: 'CHANGELOG.md has no section 9.9.9\n',
  });
});
