// What `npm test` does before the tests: looks for the tools, then checks and builds at once, since the compiler and the
// bundler leave a processor idle most of the time. The check has the types, so that the build does not look at them again.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

const NODE = process.execPath;

const tools = spawnSync(NODE, ['scripts/test-tools.mjs'], { stdio: 'inherit' });
if (tools.status !== 0) process.exit(tools.status ?? 1);

/** The exit code, once it has ended. The output comes as a whole, so that the two do not mix. */
async function run(program, args) {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes) => output.push(bytes));
  const [code] = await once(child, 'close');
  process.stdout.write(Buffer.concat(output));
  return code ?? 1;
}

const codes = await Promise.all([
  run('npm', ['run', '--silent', 'check']),
  run(NODE, ['scripts/build.mjs', '--no-types']),
]);
process.exitCode = codes.find((code) => code !== 0) ?? 0;
