// Fixture streams by hand: `list`, `make FOLDER [NAME…]`, `judge [NAME…]`, `manifest` (writes the table in fixtures/README.md).
import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

register('../test/support/typescript-loader.mjs', import.meta.url);
const { allFixtures, FIXTURES, flvPieces, messagesOf } = await import('../test/support/fixtures.ts');
const { differences, expectedRecords, judgeAsFile } = await import('../test/support/fixture-run.ts');
const { manifest } = await import('../test/support/fixture-manifest.ts');

// Who reads only the beginning (`| head`) wants no more.
process.stdout.on('error', (error) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const [command, ...args] = process.argv.slice(2);
/** As a file it has hundreds of megabytes; it is made only when it is named. */
const TOO_LONG = new Set(['eight-hours']);

function chosen(names) {
  const all = allFixtures();
  if (names.length === 0) return all.filter(({ name }) => !TOO_LONG.has(name));
  const unknown = names.filter((name) => !all.some((fixture) => fixture.name === name));
  if (unknown.length > 0) throw new Error(`no such fixture: ${unknown.join(', ')}`);
  return all.filter(({ name }) => names.includes(name));
}

async function make(folder, names) {
  if (folder === undefined) throw new Error('make needs a folder');
  mkdirSync(folder, { recursive: true });
  for (const fixture of chosen(names)) {
    const home = join(folder, fixture.name);
    mkdirSync(home, { recursive: true });
    // How a stream arrives is not in a file, so neither is what only the clock shows.
    const expected = {
      ...fixture.expected,
      errors: expectedRecords(fixture.expected, { arrival: false, has: ['decoder'] }),
    };
    writeFileSync(join(home, 'expected.json'), `${JSON.stringify(expected, null, 2)}\n`);
    const pieces = Readable.from(flvPieces(await messagesOf(fixture)));
    await pipeline(pieces, createWriteStream(join(home, 'stream.flv')));
  }
}

async function judge(names) {
  for (const fixture of chosen(names)) {
    const found = judgeAsFile(fixture, await messagesOf(fixture));
    const lines = differences(found, expectedRecords(fixture.expected, { arrival: false, has: ['target'] }));
    console.log(`${lines.length === 0 ? 'ok  ' : 'BAD '} ${fixture.name}`);
    for (const { code, atMs, clearedMs, text } of found) console.log(`       ${code} ${atMs} to ${clearedMs}: ${text}`);
    for (const line of lines) console.log(`     ! ${line}`);
    if (lines.length > 0) process.exitCode = 1;
  }
}

function writeManifest() {
  const path = join(FIXTURES, 'README.md');
  const text = readFileSync(path, 'utf8');
  const table = `<!-- manifest -->\n${manifest(allFixtures())}\n<!-- /manifest -->`;
  writeFileSync(
    path,
    text.replace(/<!-- manifest -->[\s\S]*<!-- \/manifest -->/, () => table),
  );
}

if (command === 'list') for (const { name, recipe } of allFixtures()) console.log(`${name}\t${recipe.title}`);
else if (command === 'make') await make(args[0], args.slice(1));
else if (command === 'judge') await judge(args);
else if (command === 'manifest') writeManifest();
else {
  console.error('usage: node scripts/fixtures.mjs list | make FOLDER [NAME…] | judge [NAME…] | manifest');
  process.exitCode = 2;
}
