import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog, maskSecrets } from '../../../../src/server/system/log.js';
import { endsSoon } from '../../../support/ends-soon.js';

const secret = 'abcdefghijklmnopqrstuvwxyz234567';

test.each([
  ['a stream key in a message', `publish of 17-${secret} refused`, 'publish of 17-*** refused'],
  ['a stream key in a URL', `rtmps://h:1/live/17-${secret}?x=1`, 'rtmps://h:1/live/17-***?x=1'],
  ['two that were pasted as one', `17-${secret}18-${secret}`, '17-***18-***'],
  ['one with something behind it', `17-${secret}live`, '17-***'],
  ['upper case', `17-${secret.toUpperCase()}`, '17-***'],
  ['a member by name', '{"access_token":"a\\"b","n":1}', '{"access_token":"***","n":1}'],
  ['nested, in camel case', '{"a":{"streamKey":"x"}}', '{"a":{"streamKey":"***"}}'],
  ['a query', 'GET /1?fields=id&access_token=abc HTTP/1.1', 'GET /1?fields=id&access_token=*** HTTP/1.1'],
  ['a URL with a password', 'redis://user:pass@host:1', 'redis://user:***@host:1'],
  ['a header', '"Bearer abc.def"', '"Bearer ***"'],
])('%s is masked', (_what, line, expected) => {
  expect(maskSecrets(line)).toBe(expected);
});

test.each([
  ['an error id', '17_1_5 raised'],
  ['a UUID', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['a digest', `17-${'0123456789abcdef'.repeat(2)}`],
  ['ordinary words', '{"tokens":3,"message":"live 12-hour stream"}'],
])('%s is not masked', (_what, line) => {
  expect(maskSecrets(line)).toBe(line);
});

test('masks a line of a million characters in little time', () => {
  const line = 'a.'.repeat(500_000);
  expect(endsSoon(() => maskSecrets(line)) === line).toBe(true);
});

test('lines are JSON with the fields of every parent logger and without secrets', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-log-'));
  const path = join(folder, 'out.log');
  const log = createLog({ level: 'info', destination: openSync(path, 'w') });
  let reads = 0;
  const fields = {
    get connection() {
      reads++;
      return 7;
    },
  };
  const child = log.child(fields).child({ broadcast: '17' });
  child.debug({}, 'not written');
  expect(reads).toBe(0);
  child.warn({ streamKey: 'k', error: new Error(`bad key 17-${secret}`) }, 'refused');
  await log.flush();
  const lines = readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toEqual([
    expect.objectContaining({ level: 'warn', connection: 7, broadcast: '17', streamKey: '***', msg: 'refused' }),
  ]);
  expect(lines[0].error.message).toBe('bad key 17-***');
  expect(lines[0].time).toMatch(/^\d{4}-\d\d-\d\dT/);
  rmSync(folder, { recursive: true });
});
