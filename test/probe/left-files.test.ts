/** A stand-in for an ffmpeg that a file controls leaves what must not be followed, waited for or left running. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Cage, type CageDesign } from '../../src/probe/cage/cage.js';
import { labelOf } from '../../src/probe/cage/end-run.js';
import { RunFolder } from '../../src/probe/cage/run-folder.js';
import { executableOn } from '../../src/probe/cage/system-folders.js';
import { MediaTools } from '../../src/probe/media-tools.js';
import { memoryLog, temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

const SECRET = 'key-secret of the server';
const found = (name: string) => executableOn('/usr/bin:/bin', name);
const common = { shell: found('bash'), setsid: found('setsid'), label: labelOf('/left-files'), countsProcesses: false };
const strong: CageDesign = { ...common, kind: 'strong', bwrap: found('bwrap'), setpriv: found('setpriv') };
const CAGES: readonly [string, CageDesign][] = [
  ['strong sandbox', strong],
  ['weak sandbox with users', { ...common, kind: 'weak', setpriv: found('setpriv') }],
  ['weak sandbox without users', { ...common, kind: 'weak' }],
];

/** A number that no other process has among its arguments. */
const unique = () => String(10_000_000 + Math.floor(Math.random() * 1e9));

function isRunning(argument: string): boolean {
  return readdirSync('/proc').some((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').includes(argument);
    } catch {
      return false;
    }
  });
}

interface Left {
  /** What the conversion failed with. */
  readonly error: unknown;
  readonly output: string | undefined;
  readonly mode?: number;
  /** Beside the output. */
  readonly names: readonly string[];
}

/** Converts with a script in place of ffmpeg, which has the name of its output in `$out`, in a folder of its own. */
async function convertedBy(design: CageDesign, script: string): Promise<Left> {
  const at = mkdtempSync(join(folder.path, 'case-'));
  chmodSync(folder.path, 0o755);
  chmodSync(at, 0o755);
  writeFileSync(join(at, 'key-secret'), SECRET, { mode: 0o600 });
  mkdirSync(join(at, 'work'));
  writeFileSync(join(at, 'work', 'source'), 'media');
  const tool = join(at, 'ffmpeg');
  const start = `#!/bin/sh\nsecret=${join(at, 'key-secret')}\nfor last in "$@"; do :; done\nout="\${last#file:}"\n`;
  writeFileSync(tool, `${start}case "$last" in -version) exit 0;; esac\n${script}\n`, { mode: 0o755 });
  const cage = new Cage(design);
  const tools = await MediaTools.open({ cage, log: memoryLog(), ffmpegPath: tool });
  const output = join(at, 'work', 'output.mp4');
  const conversion = {
    input: join(at, 'work', 'source'),
    demuxer: 'mov',
    output,
    video: 'copy',
    audio: 'copy',
  } as const;
  const error = await tools.convert(conversion).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const names = readdirSync(join(at, 'work')).sort();
  if (!existsSync(output)) return { error, output: undefined, names };
  const { uid, mode } = lstatSync(output);
  expect(uid).toBe(0);
  return { error, output: readFileSync(output, 'utf8'), mode: mode & 0o7777, names };
}

const REFUSED = { error: { code: 'TOOL_FAILED' }, output: undefined, names: ['source'] };
const LEAVES: readonly [string, string, string][] = [
  ['a link', 'ln -s "$secret" "$out"', 'is a link'],
  ['a relative link', 'ln -s ../../key-secret "$out"', 'is a link'],
  ['a link to a folder', 'ln -s / "$out"', 'is a link'],
  ['a hard link', 'echo media > other; ln other "$out"', 'has 2 names'],
  ['a pipe', 'mkfifo "$out"', 'is no regular file'],
  ['a folder', 'mkdir "$out"', 'is no regular file'],
  ['a socket', `perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(Local => $ARGV[0], Listen => 1)' "$out"`, 'a socket'],
];

describe.each(CAGES)('%s', (_, design) => {
  test.each(LEAVES)('refuses %s in place of the output', async (_what, script, reason) => {
    const left = await convertedBy(design, script);
    expect(left).toMatchObject(REFUSED);
    expect(String(left.error)).toContain(reason);
  });

  test('takes a regular file, which only the server can read from then on', async () => {
    const left = await convertedBy(design, 'echo media > "$out"; chmod 4777 "$out"');
    expect(left).toEqual({ error: undefined, output: 'media\n', mode: 0o600, names: ['output.mp4', 'source'] });
  });

  test('ends a child that left the session before the output is opened, so that it cannot be replaced', async () => {
    const seconds = unique();
    // It replaces the output as soon as the script has ended, and then lives on.
    const replace = `while kill -0 $1 2>&-; do :; done; ln -sf "$2" "$3"; ln -sf "$2" link; exec sleep ${seconds}`;
    const script = `echo media > "$out"\nsetsid sh -c '${replace}' sh $$ "$secret" "$out" >&- 2>&- <&- &`;
    for (let round = 0; round < 3; round++) {
      const left = await convertedBy(design, script);
      expect(isRunning(seconds)).toBe(false);
      if (left.error === undefined) expect(left.output).toBe('media\n');
      else expect(left).toMatchObject(REFUSED);
    }
  });

  test('ends a child that keeps the output of ffmpeg open, without waiting for it', async () => {
    const seconds = unique();
    const left = await convertedBy(design, `setsid sleep ${seconds} &\necho media > "$out"`);
    expect([left.error, left.output, isRunning(seconds)]).toEqual([undefined, 'media\n', false]);
  });

  test('removes folders that are deeper than any path and that have no permissions', async () => {
    const deep = `$_ = 'd' x 200; for my $i (1 .. 60) { mkdir $_; chdir $_ or die }; open my $f, '>', 'x'; mkdir 'y'; chmod 0, 'y', '.'`;
    const left = await convertedBy(design, `echo media > "$out"\nperl -e "${deep.replaceAll('$', '\\$')}"`);
    expect(left).toEqual({ error: undefined, output: 'media\n', mode: 0o600, names: ['output.mp4', 'source'] });
  });
});

test('a run of a weak sandbox has a user that no other run of the machine has', () => {
  const { setpriv } = strong;
  const [one, other] = [1, 2].map(() => new Cage({ ...common, kind: 'weak', setpriv }));
  const users = Array.from({ length: 40 }, (_, i) =>
    (i % 2 ? one : other)?.enter({ tool: '/bin/true', limits: LIMITS }),
  );
  expect(new Set(users.map((run) => run?.user)).size).toBe(40);
  for (const run of users) void run?.end(undefined);
  expect(one?.endsAll).toBe(true);
  expect(new Cage({ ...common, kind: 'weak' }).endsAll).toBe(false);
});

const LIMITS = { memoryKib: 1_500_000, processorSeconds: 5, fileMib: 1 };

describe('the folder of a run', () => {
  const made = () => new RunFolder(mkdtempSync(join(folder.path, 'run-')));

  test('refuses a device, and a file of another user', async () => {
    const run = made();
    expect(spawnSync('mknod', [join(run.path, 'device'), 'c', '1', '3']).status).toBe(0);
    await expect(run.file('device', 0)).rejects.toMatchObject({ code: 'OUTPUT_REFUSED' });
    writeFileSync(join(run.path, 'file'), 'x');
    await expect(run.file('file', 60_600)).rejects.toMatchObject({ code: 'OUTPUT_REFUSED' });
    await (await run.file('file', 0)).close();
    await run.remove();
    expect(existsSync(run.path)).toBe(false);
  });

  test('stays the same where its path leads elsewhere', async () => {
    const run = made();
    writeFileSync(join(run.path, 'file'), 'of the run');
    const secret = mkdtempSync(join(folder.path, 'secret-'));
    writeFileSync(join(secret, 'file'), SECRET);
    renameSync(run.path, `${run.path}-moved`);
    symlinkSync(secret, run.path);
    const file = await run.file('file', 0);
    expect(await file.readFile('utf8')).toBe('of the run');
    await file.close();
    await run.move('file', 0, join(folder.path, 'moved'));
    expect(readFileSync(join(folder.path, 'moved'), 'utf8')).toBe('of the run');
  });

  test('a file that is open stays the same when its name is re-pointed', async () => {
    const run = made();
    writeFileSync(join(run.path, 'file'), 'of the run');
    const file = await run.file('file', 0);
    renameSync(join(run.path, 'file'), join(run.path, 'before'));
    symlinkSync(join(folder.path, 'nowhere'), join(run.path, 'file'));
    expect(await file.readFile('utf8')).toBe('of the run');
    await file.close();
    await expect(run.file('file', 0)).rejects.toMatchObject({ code: 'OUTPUT_REFUSED' });
    await run.remove();
  });

  test('a file that is replaced by others all the time can be opened at any time', async () => {
    const run = made();
    const replace = `$| = 1; for my $i (0 .. 2000) {
      open my $file, '>', 'draft'; print $file "$i\\n"; close $file; rename 'draft', 'file'; print 'x' if $i == 0 }`;
    const replacing = spawn('perl', ['-e', replace], { cwd: run.path });
    await once(replacing.stdout, 'data');
    while (replacing.exitCode === null) {
      const file = await run.file('file', 0);
      expect(await file.readFile('utf8')).toMatch(/^\d+\n$/);
      await file.close();
    }
    await run.remove();
  });
});
