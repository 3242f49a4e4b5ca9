/** A copy of the sources with the changes of a recipe, built into a program of its own. */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

/** Found once in the file, and its replacement. */
type Edit = readonly [find: string | RegExp, replacement: string];

/** By path: a new file, `from` a file of this tree, or edits of one that exists. */
export type Changes = Readonly<Record<string, { readonly from: string } | readonly Edit[]>>;

/** What the compiler reads, and the pages, which no recipe changes. */
const COPIED = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'dist/dashboard'];

/** Returns the program. @throws Error with the words of the compiler, which checks types, at 5 s of processor time, where it is asked to */
export function buildChangedTree(folder: string, recipes: readonly Changes[], types: 'checked' | 'unchecked'): string {
  for (const name of COPIED) cpSync(join(ROOT, name), join(folder, name), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const changes = recipes.flatMap((recipe) => Object.entries(recipe));
  const added = new Map(changes.flatMap(([path, change]) => ('from' in change ? [[change.from, path]] : [])));
  for (const [path, change] of changes) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    const text =
      'from' in change
        ? withImportsOf(path, change.from, added)
        : change.reduce((before, edit) => edited(path, before, edit), readFileSync(file, 'utf8'));
    writeFileSync(file, text);
  }
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
  const how = types === 'checked' ? [] : ['--noCheck'];
  const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', 'tsconfig.build.json', ...how], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stdout);
  return join(folder, 'dist/main.js');
}

function edited(path: string, text: string, [find, replacement]: Edit): string {
  const parts = text.split(find).length;
  if (parts !== 2) throw new Error(`${path} has ${parts - 1} places for ${find}`);
  return text.replace(find, replacement);
}

/** The text of `from` at its place in the copy. */
function withImportsOf(path: string, from: string, added: ReadonlyMap<string, string>): string {
  return readFileSync(join(ROOT, from), 'utf8').replace(/(?<= from ')\.[^']+(?=\.js')/g, (imported) => {
    const there = `${join(dirname(from), imported)}.ts`;
    const here = relative(dirname(path), added.get(there) ?? there).replace(/\.ts$/, '');
    return here.startsWith('.') ? here : `./${here}`;
  });
}
