/** `airlock conform` on the command line: what it prints, and when it stops. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { validateXML } from 'xmllint-wasm';
import { CASES } from '../../../../src/conform/cases/index.js';
import { pause, SocketPeer } from '../../../../src/conform/socket-peer.js';
import { Trial } from '../../../../src/conform/trial.js';
import { runCli } from '../../../support/cli.js';
import { type Fault, mutatedSession } from '../../../support/mutated-session.js';
import { KEYS, listen, SessionIngest } from '../../../support/session-ingest.js';

async function serving<T>(ingest: SessionIngest, run: (url: string, port: number) => Promise<T>): Promise<T> {
  const { port, close } = await listen(ingest);
  try {
    return await run(`rtmp://127.0.0.1:${port}/live`, port);
  } finally {
    await close();
  }
}

const conform = (url: string, ...options: string[]) =>
  runCli(['conform', url, '--key', KEYS[0], '--timeout', '500', ...options]);
const without = async (fault: Fault) => new SessionIngest({ open: await mutatedSession(fault) });
const NO_DESCRIPTION: Fault = { file: 'messages/command.ts', from: "words === '' ? code : words", to: "''" };
const ENDS: Fault = {
  file: 'amf/amf-value.ts',
  from: "throw new WireError('AMF_TOO_DEEP',",
  to: "throw new Error('AMF_TOO_DEEP',",
};

test('--list has every case, as text and as JSON', async () => {
  const { stdout, code } = await runCli(['conform', '--list', '--format', 'json']);
  expect(code).toBe(0);
  const { cases } = JSON.parse(stdout);
  expect(cases).toEqual(CASES.map(({ id, group, clause, level, title }) => ({ id, group, clause, level, title })));
  const text = (await runCli(['conform', '--list', '--only', 'tls', '--level', 'must'])).stdout;
  expect(text).toContain('tls/old-versions');
  expect(text).not.toMatch(/tls\/wrong-sni|amf\//);
});

test('a server that fails a case is told what was sent, expected and came, and ends with 1', async () => {
  await serving(await without(NO_DESCRIPTION), async (url) => {
    const { stdout, code } = await conform(url, '--only', 'publishing/status-fields', '--only', 'publishing/start');
    expect(code).toBe(1);
    expect(stdout).toContain('  pass     must      start: ');
    expect(stdout).toMatch(
      / {2}FAIL {5}should {4}status-fields: [\s\S]*sent +…, video frame[\s\S]*expected +texts[\s\S]*came +\S/,
    );
    expect(stdout).toMatch(/2 cases in \d+\.\d s: 1 passed, 1 failed \(1 should\), 0 unknown, 0 skipped/);
  });
});

test('a server that passes ends with 0, and its JSON has a verdict for each case', async () => {
  await serving(new SessionIngest(), async (url) => {
    const { stdout, code } = await conform(
      url,
      '--only',
      'handshake',
      '--only',
      'publishing/two-keys',
      '--format',
      'json',
    );
    expect(code).toBe(0);
    const { target, cases } = JSON.parse(stdout);
    expect(target).toBe(url);
    for (const each of cases) {
      expect(each).toMatchObject({ sent: expect.any(String), expected: expect.any(String), came: expect.any(String) });
      expect(each.verdict).toBe(each.id === 'publishing/two-keys' ? 'skipped' : 'pass');
    }
  });
});

test('JUnit conforms to the schema that CI systems read', async () => {
  await serving(await without(NO_DESCRIPTION), async (url) => {
    const { stdout } = await conform(url, '--only', 'publishing/status-fields', '--only', 'tls', '--format', 'junit');
    const schema = readFileSync(join(import.meta.dirname, '../../../support/junit.xsd'), 'utf8');
    const checked = await validateXML({ xml: [{ fileName: 'report.xml', contents: stdout }], schema: [schema] });
    expect(checked.errors).toEqual([]);
    expect(stdout).toMatch(/<testcase classname="publishing" name="status-fields"[^>]*><failure type="should"/);
    expect(stdout).toMatch(/<testcase classname="tls"[^>]*><skipped\/><system-out>skipped: needs an rtmps:/);
  });
});

test('a server that ends is named with the case that it ended from', async () => {
  await serving(await without(ENDS), async (url) => {
    const { code, stdout } = await conform(url, '--only', 'amf/deep-nesting', '--only', 'amf/long-key');
    expect(code).toBe(1);
    expect(stdout).toContain('The peer accepted no connection any more after amf/deep-nesting.');
    expect(stdout).toMatch(/FAIL {5}must {6}deep-nesting/);
    expect(stdout).toMatch(/unknown {2}must {6}long-key: .*the run ended before this case/);
  });
});

test('names every case that ran when a server ended', async () => {
  const chunkSizeEnds: Fault = {
    file: 'chunks/decoder.ts',
    from: 'this.#chunkSize = chunkSizeOf(stream);',
    to: "throw new Error('ends');",
  };
  await serving(await without(chunkSizeEnds), async (url) => {
    const { code, stdout } = await conform(url, '--only', 'chunks/set-chunk-size', '--only', 'chunks/set-chunk-size-1');
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /after chunks\/set-chunk-size(-1)?, chunks\/set-chunk-size(-1)?\. Run each alone, with --only/,
    );
    expect(stdout).toMatch(/unknown {2}must {6}set-chunk-size: /);
  });
});

test('the run stops where another encoder publishes with the key', async () => {
  await serving(new SessionIngest(), async (url, port) => {
    const peer = new SocketPeer({ host: '127.0.0.1', port, isSecure: false, app: 'live', tcUrl: url, insecure: false });
    const other = new Trial({ peer, keys: KEYS, timeoutMs: 1000, pause });
    const encoder = await other.publishing();
    const { code, stdout, stderr } = await conform(url);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(
      'refuses a plain publish: NetStream.Publish.BadName (Another encoder is already publishing',
    );
    await encoder.expectServed();
    await other.end();
  });
});

test.each([
  [['rtmp://192.0.2.1/live', '--key', 'k'], '192.0.2.1 is another machine'],
  [['rtmp://localhost/live', '--key', 'k', '--only', 'nothing'], 'no such case or group: nothing'],
  [['http://localhost/live', '--key', 'k'], 'the URL must be like rtmps://'],
  [['rtmp://localhost/live', '--key', 'k', '--timeout', '5'], 'milliseconds from 100 to 60000'],
  [[], 'name the server'],
])('%j is wrong usage', async (args, message) => {
  const { code, stderr } = await runCli(['conform', ...args]);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});

test('a port where nothing listens is not reached', async () => {
  const { port, close } = await listen(new SessionIngest());
  await close();
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'error');
  const { code, stderr } = await conform(`rtmp://127.0.0.1:${port}/live`);
  expect(code).toBe(3);
  expect(stderr).toContain('cannot connect to');
});
