/** The files of the image: what the Dockerfile leaves of an installation works, is small, and is what the bill of materials lists. */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT, read } from './source-files.js';

/** What `npm prune --omit=dev` removes is not copied; the media tools are large, so a file stands for each. */
const MEDIA_TOOLS = ['@ffmpeg-installer', 'ffprobe-static'];
const BOUND_BYTES = 100e6;

let image: string;
beforeAll(() => {
  image = mkdtempSync(join(tmpdir(), 'airlock-image-'));
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
  const paths = Object.entries(packages)
    .filter(([path, { dev }]) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/.test(path) && dev !== true)
    .map(([path]) => path)
    .filter((path) => existsSync(join(ROOT, path)) && !MEDIA_TOOLS.some((tool) => path.includes(tool)));
  // Hard links where the disk is the same: files are removed, none is changed.
  const copied = ['-a', '--parents', ...paths, 'dist', 'package.json', 'scripts/sbom.mjs', image];
  if (statSync(ROOT).dev === statSync(image).dev) run(ROOT, 'cp', '--link', ...copied);
  else run(ROOT, 'cp', ...copied);
  for (const tool of MEDIA_TOOLS) {
    mkdirSync(join(image, 'node_modules', tool));
    cpSync(join(ROOT, 'package.json'), join(image, 'node_modules', tool, 'package.json'));
  }
  run(ROOT, process.execPath, 'scripts/prune-install.mjs', image);
});
afterAll(() => rmSync(image, { recursive: true, force: true }));

function run(cwd: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8', maxBuffer: 64e6 });
  expect([args.join(' ').slice(0, 200), status, status === 0 ? '' : stderr]).toEqual([
    args.join(' ').slice(0, 200),
    0,
    '',
  ]);
  return stdout;
}

function files(): string[] {
  return readdirSync(image, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(image, join(entry.parentPath, entry.name)));
}

interface Bill {
  readonly bomFormat: string;
  readonly specVersion: string;
  readonly components: readonly { readonly purl: string; readonly 'bom-ref': string; readonly name: string }[];
}
const bill = (cwd: string, ...args: string[]): Bill =>
  JSON.parse(run(cwd, process.execPath, 'scripts/sbom.mjs', ...args));
const urls = ({ components }: Bill): string[] => components.map(({ purl }) => purl);
const npmUrl = (name: string, version: string) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

test('the installation of the image has no maps, tests, declarations and media tools of npm, and keeps licenses', () => {
  const paths = files();
  expect(paths.filter((path) => /\.(?:map|[cm]?ts)$/.test(path))).toEqual([]);
  expect(paths.filter((path) => /node_modules\/(?:@[^/]+\/)?[^/@]+\/(?:tests?|coverage|docs)\//.test(path))).toEqual(
    [],
  );
  expect(paths.filter((path) => MEDIA_TOOLS.some((tool) => path.startsWith(join('node_modules', tool))))).toEqual([]);
  expect(paths).toEqual(expect.arrayContaining(['node_modules/zod/LICENSE', 'dist/dashboard/web/licenses.md']));
  const bytes = paths.reduce((sum, path) => sum + statSync(join(image, path)).size, 0);
  expect(bytes).toBeLessThan(BOUND_BYTES);
});

test('every dependency can be loaded from it, and the program runs', () => {
  const { dependencies, optionalDependencies } = JSON.parse(read('package.json')) as Record<string, object>;
  const all = Object.keys({ ...dependencies, ...optionalDependencies });
  const names = all.filter((name) => !MEDIA_TOOLS.some((tool) => name.startsWith(tool)));
  // Decorators of other packages need it when they are loaded.
  const ordered = ['reflect-metadata', ...names];
  const load = `for (const name of ${JSON.stringify(ordered)}) await import(name); process.exit();`;
  run(image, process.execPath, '--no-warnings', '--input-type=module', '-e', load);
  expect(run(image, process.execPath, 'dist/main.js', '--version')).toContain(
    (JSON.parse(read('package.json')) as { version: string }).version,
  );
});

test('the bill of materials lists the packages that are there, those in the pages, and Node', () => {
  const found = files()
    .filter((path) => /(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
    .map((path) => JSON.parse(readFileSync(join(image, path), 'utf8')) as { name: string; version: string })
    .map(({ name, version }) => npmUrl(name, version));
  // The documents are not always built.
  const licenses = ['dist/dashboard/web/licenses.md', 'dist/help/licenses.md'].filter((path) =>
    existsSync(join(ROOT, path)),
  );
  const pages = licenses.flatMap((path) =>
    [...read(path).matchAll(/^## (\S+) - (\S+) /gm)].map(([, name = '', version = '']) => npmUrl(name, version)),
  );
  const listed = bill(image);
  expect(listed).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.5' });
  const node = `pkg:generic/node@${process.versions.node}`;
  expect(urls(listed)).toEqual([...new Set([...found, ...pages, node])].sort());
  expect(listed.components.map((each) => each['bom-ref'])).toEqual(urls(listed));
  const names = listed.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['axios', 'qs', 'follow-redirects', 'react', 'lmdb']));
});

test('`npm run sbom` lists the same in a working copy, and what the image prunes', () => {
  const here = urls(bill(ROOT));
  expect(urls(bill(image)).filter((url) => !here.includes(url))).toEqual([]);
  const there = urls(bill(image));
  const pruned = here
    .filter((url) => !there.includes(url))
    .map((url) => decodeURIComponent(url).replace(/@[^@]+$/, ''));
  expect(pruned.filter((url) => !/\/(?:@ffmpeg-installer\/|ffprobe-static$|@types\/|undici-types$)/.test(url))).toEqual(
    [],
  );
});

test('with --system it lists the packages of Debian that are installed', () => {
  const installed = run(ROOT, 'dpkg-query', '--list')
    .split('\n')
    .map((line) => line.split(/\s+/))
    .filter(([status]) => status === 'ii')
    .map(([, name = '', version = '']) => `${name.replace(/:.*/, '')}@${version}`);
  const listed = urls(bill(image, '--system'))
    .filter((url) => url.startsWith('pkg:deb/debian/'))
    .map((url) => decodeURIComponent(url.slice('pkg:deb/debian/'.length).replace(/\?.*/, '')));
  expect(installed.length).toBeGreaterThan(50);
  expect([...new Set(listed)].sort()).toEqual([...new Set(installed)].sort());
});
