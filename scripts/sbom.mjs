// Prints a bill of materials (CycloneDX 1.5) of what is installed: the packages in node_modules that are no development
// dependency, those bundled into the pages, and Node. With --system also the packages of Debian, from the status of dpkg.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const json = (path) => JSON.parse(readFileSync(path, 'utf8'));

const npmUrl = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

/** An SPDX expression, or a name where a package states none. */
const licensed = (license) => {
  if (typeof license !== 'string') return {};
  const isExpression = /^\(?[\w.+-]+(?:\)? (?:OR|AND|WITH) \(?[\w.+-]+)*\)?$/.test(license);
  return { licenses: [isExpression ? { expression: license } : { license: { name: license } }] };
};

const component = (type, name, version, purl, more = {}) => ({ type, 'bom-ref': purl, name, version, purl, ...more });

/** The folders of the packages in a folder `node_modules`, and of those within them. */
function* packageFolders(modules) {
  for (const entry of existsSync(modules) ? readdirSync(modules, { withFileTypes: true }) : []) {
    if (!entry.isDirectory() || entry.name.startsWith('.')) continue;
    const folder = join(modules, entry.name);
    if (entry.name.startsWith('@')) {
      for (const scoped of readdirSync(folder)) yield* packageFolder(join(folder, scoped));
    } else {
      yield* packageFolder(folder);
    }
  }
}

function* packageFolder(folder) {
  yield folder;
  yield* packageFolders(join(folder, 'node_modules'));
}

function installed() {
  const modules = join(ROOT, 'node_modules');
  // It knows which packages only development needs. The image has neither those nor this file.
  const lock = join(ROOT, 'package-lock.json');
  const { packages } = existsSync(lock) ? json(lock) : { packages: {} };
  return [...packageFolders(modules)].flatMap((folder) => {
    const file = join(folder, 'package.json');
    if (packages[folder.slice(ROOT.length)]?.dev || !existsSync(file)) return [];
    const { name, version, license, licenses } = json(file);
    if (name === undefined || version === undefined) return [];
    return [component('library', name, version, npmUrl(name, version), licensed(license ?? licenses?.[0]?.type))];
  });
}

/** What Vite names in the licenses that the pages and the documents ship. */
function bundledIntoPages() {
  const text = [join('dashboard', 'web'), 'help']
    .map((folder) => join(ROOT, 'dist', folder, 'licenses.md'))
    .map((file) => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
    .join('\n');
  return [...text.matchAll(/^## (\S+) - (\S+) \((.+)\)$/gm)].map(([, name, version, license]) =>
    component('library', name, version, npmUrl(name, version), licensed(license)),
  );
}

function node() {
  const { node: version } = process.versions;
  return component('application', 'node', version, `pkg:generic/node@${version}`, licensed('MIT'));
}

function debian(statusFile = '/var/lib/dpkg/status', releaseFile = '/etc/os-release') {
  const release = /^VERSION_ID="?([\d.]+)/m.exec(readFileSync(releaseFile, 'utf8'))?.[1];
  return readFileSync(statusFile, 'utf8')
    .split('\n\n')
    .flatMap((paragraph) => {
      const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(paragraph)?.[1];
      if (field('Status') !== 'install ok installed') return [];
      const [name, version, architecture] = ['Package', 'Version', 'Architecture'].map(field);
      const source = (field('Source') ?? name).replace(/ \(.*/, '');
      const qualifiers = new URLSearchParams({ arch: architecture, distro: `debian-${release}`, upstream: source });
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?${qualifiers}`;
      return [component('library', name, version, purl)];
    });
}

const { name, version, description } = json(join(ROOT, 'package.json'));
const found = [...installed(), ...bundledIntoPages(), node(), ...(process.argv.includes('--system') ? debian() : [])];
// A package can be installed several times, and bundled as well.
const components = [...new Map(found.map((each) => [each.purl, each])).values()].sort((a, b) =>
  a.purl < b.purl ? -1 : 1,
);
const bill = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  serialNumber: `urn:uuid:${randomUUID()}`,
  version: 1,
  metadata: {
    timestamp: new Date().toISOString(),
    component: component('application', name, version, npmUrl(name, version), { description }),
  },
  components,
};
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);
