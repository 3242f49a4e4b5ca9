import { parseRedisUrl } from '../../../src/store/redis/address.js';

test.each([
  [
    'redis://localhost',
    { form: 'single', hosts: [{ host: 'localhost', port: 6379 }], tls: false, db: 0, shown: 'redis://localhost' },
  ],
  [
    'rediss://user:p%40ss@10.0.0.1:7000/3',
    { tls: true, username: 'user', password: 'p@ss', db: 3, shown: 'rediss://10.0.0.1:7000/3' },
  ],
  ['redis://:only@[::1]:6380', { hosts: [{ host: '::1', port: 6380 }], password: 'only', shown: 'redis://[::1]:6380' }],
  [
    'redis+sentinel://:pw@s1,s2:26380/main/2?sentinelPassword=sp&prefix=mine',
    {
      form: 'sentinel',
      hosts: [
        { host: 's1', port: 26379 },
        { host: 's2', port: 26380 },
      ],
      masterName: 'main',
      db: 2,
      password: 'pw',
      sentinelPassword: 'sp',
      prefix: 'mine',
      shown: 'redis+sentinel://s1,s2:26380/main/2',
    },
  ],
  [
    'rediss+cluster://n1:7001,n2:7002',
    { form: 'cluster', tls: true, prefix: 'airlock', shown: 'rediss+cluster://n1:7001,n2:7002' },
  ],
])('parses %s', (url, expected) => {
  expect(parseRedisUrl(url)).toMatchObject(expected);
});

test.each([
  ['http://localhost', 'must look like'],
  ['redis://', 'must look like'],
  ['redis://a,b', 'several hosts'],
  ['redis://host:0', 'bad host or port'],
  ['redis://host:99999', 'bad host or port'],
  ['redis://host/one', 'database number'],
  ['redis+cluster://host/1', 'only database 0'],
  ['redis+sentinel://host', 'name of the master'],
  ['redis://host?retries=5', 'unknown option retries'],
  ['redis://user:%zz@host', 'percent-encoded'],
  ['redis://:secret@host?prefix={a}', 'prefix takes'],
])('refuses %s', (url, reason) => {
  expect(() => parseRedisUrl(url)).toThrow(reason);
  expect(() => parseRedisUrl(url)).toThrow(expect.not.stringContaining('secret'));
});
