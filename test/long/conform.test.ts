/** All conformance cases against the built server, as the tutorial runs them too, and all planted faults against all cases in memory. */
import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { CASES } from '../../src/conform/cases/index.js';
import { MUTANTS } from '../support/conform-mutants.js';
import { type ConformServer, conformTo, startConformServer } from '../support/conform-run.js';
import { failuresOf } from '../support/mutated-session.js';

const ROOT = join(import.meta.dirname, '../..');
const TUTORIAL = readFileSync(join(ROOT, 'docs/tutorials/conformance.md'), 'utf8');
const [[, BY_HAND = ''] = []] = TUTORIAL.matchAll(/^```sh\n([\s\S]*?)^```/gm);
const JOBS = [...TUTORIAL.matchAll(/^ +(?:- )?(node airlock\/bin\/airlock\.js conform .*)$/gm)].map(
  ([, command = '']) => command,
);

function shell(script: string, { airlock }: ConformServer, settings: Readonly<Record<string, string>>) {
  return new Promise<{ code: number; output: string }>((resolve) => {
    const options = { cwd: airlock.folder, env: { ...process.env, ...settings } };
    const text = `npx() { shift; node dist/main.js "$@"; }\n${script.replace('airlock/bin/airlock.js', 'dist/main.js')}`;
    execFile('bash', ['-e', '-u', '-c', text], options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr }),
    );
  });
}

describe('the built server', () => {
  let server: ConformServer;
  beforeAll(async () => {
    server = await startConformServer();
    symlinkSync(join(ROOT, 'dist'), join(server.airlock.folder, 'dist'));
  });
  afterAll(() => server.airlock.stop());

  test.each(['rtmp', 'rtmps'] as const)('passes every case over %s, in less than 240 s', async (scheme) => {
    const { code, failed, passed, seconds } = await conformTo(server, scheme);
    expect(failed).toEqual([]);
    expect(code).toBe(0);
    expect(passed).toBe(CASES.filter(({ needs }) => scheme === 'rtmps' || needs !== 'tls').length);
    expect(seconds).toBeLessThan(240);
  });

  test('passes what docs/tutorials/conformance.md runs by hand', async () => {
    const { code, output } = await shell(BY_HAND, server, {});
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('none failed') });
  });

  test('the tutorial has a job for two services', () => {
    expect(JOBS.length).toBe(2);
  });

  test.each(JOBS)('passes what a job runs: %s', async (command) => {
    const [first, second] = [await server.airlock.createLive(), await server.airlock.createLive()];
    const url = `rtmps://localhost:${server.airlock.quickstart.rtmps_port}/live`;
    const settings = { INGEST: url, KEY: first.key, SECOND_KEY: second.key };
    expect(await shell(command, server, settings)).toEqual({ code: 0, output: '' });
    const report = readFileSync(join(server.airlock.folder, 'conformance.xml'), 'utf8');
    expect(report).toMatch(/<testsuites [^>]*failures="0"/);
  });
});

test.each(MUTANTS)('%s', async (_name, fault, found) => {
  expect(await failuresOf(fault, CASES)).toEqual(found);
});
