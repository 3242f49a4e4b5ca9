/** A process without a free file descriptor: what it cannot start fails alone, and a role comes back when there are some again. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { MAIN } from '../support/airlock.js';

const ROLE = `
process.on('message', () => {});
process.send({ type: 'ready' });
`;

const script = (role: string) => `
import { closeSync, openSync } from 'node:fs';
const load = (path) => import(${JSON.stringify(dirname(MAIN))} + path);
const { RoleProcess } = await load('/server/supervisor/role-process.js');
const { Slot } = await load('/server/supervisor/slot.js');
const { UsageMeter } = await load('/server/system/process-usage.js');
const { runTool } = await load('/probe/run-tool.js');
const { KeptPrinter } = await load('/probe/kept-printer.js');

const said = {};
let failed;
const hasFailed = new Promise((resolve) => { failed = resolve; });
const nothing = () => undefined;
const log = { linesDropped: 0, debug: nothing, info: nothing, warn: nothing, error: (_fields, text) => text === 'a role process failed' && failed() };
const usage = () => new UsageMeter(log).now();
const rest = { id: 1, role: 'media', script: ${JSON.stringify(role)}, log, owner: { giveWaiting: nothing, forward: nothing, answer: nothing, usage } };
let changed = nothing;
const slot = new Slot({
  role: 'media',
  log,
  owner: { fork: () => new RoleProcess(rest), begin: nothing, tellChange: () => changed() },
});
await slot.start();
const meter = new UsageMeter(log);
said.before = meter.now().residentBytes > 0;

const held = [];
try { for (;;) held.push(openSync('/dev/null')); } catch (error) { said.code = error.code; }
said.usage = meter.now().residentBytes > 0;
said.tool = await runTool('true', [], { timeoutMs: 1000, stdoutMax: 1 }).catch(({ code }) => code);
const printer = new KeptPrinter({ program: 'true', args: [], end: async () => { said.ended = true; return true; } }, []);
said.printer = printer.isOver;
printer.close();
slot.ready.kill('SIGKILL');
await hasFailed;
for (const each of held) closeSync(each);
await new Promise((resolve) => { changed = () => slot.ready && resolve(); });
said.back = slot.ready.isReady;
await slot.stop(1000);
console.log(JSON.stringify(said));
process.exit();
`;

test('tools, metrics and the supervisor outlive it, and an ended role is started when it can be', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-descriptors-'));
  const [role, main] = [join(folder, 'role.mjs'), join(folder, 'main.mjs')];
  writeFileSync(role, ROLE);
  writeFileSync(main, script(role));
  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    'ulimit -n 128; exec "$@"',
    'sh',
    process.execPath,
    main,
  ]);
  expect(JSON.parse(stdout)).toEqual({
    before: true,
    code: 'EMFILE',
    usage: true,
    tool: 'TOOL_MISSING',
    printer: true,
    ended: true,
    back: true,
  });
  rmSync(folder, { recursive: true });
});
