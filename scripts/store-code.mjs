// node [V8 flags of the process] scripts/store-code.mjs DIST PROCESS
// Loads the program of a role, or that of the commands, and stores V8's code of what ran. A process of its own, because the code
// holds only for the flags with which it was made.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, name] = process.argv.slice(2);
const { Bundle } = await import(pathToFileURL(join(dist, 'server/system/bundle.js')).href);
const bundle = new Bundle(join(dist, 'server/bundle'), name);
if (name === 'command') await bundle.load('program.cjs').loadQuickCommands();
else await bundle.load('role.cjs').loadRole(name);
for (const [file, script] of bundle.scripts) {
  const path = bundle.codeFile(file);
  // Of another role with the same flags.
  if (!existsSync(path)) writeFileSync(path, script.createCachedData());
}
