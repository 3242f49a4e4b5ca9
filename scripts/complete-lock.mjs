// Completes package-lock.json after `npm install` against a registry that does not hold the builds of every platform: npm
// leaves those out of the lock file, and `npm ci` refuses a lock file that lacks them. Run it after adding a package.
import { readFileSync, writeFileSync } from 'node:fs';

const OS = ['android', 'darwin', 'freebsd', 'linux', 'win32', 'openharmony', 'aix', 'sunos', 'netbsd', 'openbsd'];
const CPU = ['arm64', 'x64', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'wasm32', 'mips64el'];

const path = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(path, 'utf8'));
const { '': root, ...packages } = lock.packages;

/** Where node resolves `name` from the package at `owner`. */
function resolved(owner, name) {
  for (let base = owner; ; base = base.slice(0, Math.max(0, base.lastIndexOf('/node_modules/')))) {
    if (packages[`${base === '' ? '' : `${base}/`}node_modules/${name}`]) return true;
    if (base === '') return false;
  }
}

function entry(name, version, owner) {
  const words = name.split(/[-/@_.]/);
  const cpu = words.some((word) => /^arm(v\d|eabi)?/.test(word) && word !== 'arm64')
    ? ['arm']
    : CPU.filter((each) => words.includes(each));
  const os = OS.filter((each) => words.includes(each));
  const libc = words.some((word) => word.startsWith('musl'))
    ? ['musl']
    : os[0] === 'linux' && words.some((word) => word.startsWith('gnu'))
      ? ['glibc']
      : [];
  return {
    version,
    ...(owner.dev ? { dev: true } : {}),
    optional: true,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(os.length > 0 ? { os } : {}),
    ...(libc.length > 0 ? { libc } : {}),
  };
}

let added = 0;
for (const [at, owner] of Object.entries(packages)) {
  for (const [name, range] of Object.entries(owner.optionalDependencies ?? {})) {
    if (resolved(at, name)) continue;
    packages[`node_modules/${name}`] = entry(name, range.replace(/^[~^]/, ''), owner);
    added++;
  }
}
const sorted = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(path, `${JSON.stringify({ ...lock, packages: { '': root, ...sorted } }, null, 2)}\n`);
console.log(`${added} optional packages of other platforms were added to package-lock.json`);
