import type { LookupAddress } from 'node:dns';
import { createSecureContext } from 'node:tls';
import { makeAuthority, makeServerCertificate } from '../../../src/config/certificates/authority.js';
import { targetNetworks } from '../../../src/config/settings/networks.js';
import type { TargetStatus } from '../../../src/forward/core/forward.js';
import { hostRefusal, type Reachable } from '../../../src/forward/target/addresses.js';
import { Target, type TargetOptions } from '../../../src/forward/target/target.js';
import { encodeAmf0 } from '../../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../../src/rtmp/chunks/encoder.js';
import { MESSAGE_TYPE } from '../../../src/rtmp/protocol.js';
import { parsePublishUrl } from '../../../src/rtmp/publish-url.js';
import { inFull } from '../../support/in-full.js';
import { RtmpTarget } from '../../support/rtmp-target.js';
import { until } from '../../support/store-harness.js';

const KEY = 'secret-key-1?x=1';
const LOCAL: Reachable = { networks: targetNetworks(['127.0.0.0/8:1-65535']) };

/** What is told of one connection. */
class Told {
  readonly events: string[] = [];
  readonly said: TargetStatus[] = [];
  readonly target: Target;
  #look: () => void = () => undefined;

  constructor(url: string, more: Partial<TargetOptions> = {}) {
    const parsed = parsePublishUrl(url);
    if (parsed === undefined) throw new Error(url);
    const clock = { wallMs: () => 5_000, monotonicMs: () => 7 };
    const options = {
      url: parsed,
      key: KEY,
      passed: ['one', 'two'],
      reachable: LOCAL,
      secureContext: () => createSecureContext({ ca: [] }),
      clock,
      ...more,
    };
    this.target = new Target(options, {
      opened: () => this.#tell('opened'),
      said: (status) => this.said.push(status),
      refused: (status, reason) => this.#tell(`refused: ${reason} (${status.level} ${status.code})`),
      lost: (reason) => this.#tell(`lost: ${reason}`),
      wrote: () => this.#tell('wrote'),
    });
  }

  #tell(event: string): void {
    this.events.push(event);
    this.#look();
  }

  async until(count: number): Promise<readonly string[]> {
    while (this.events.length < count)
      await new Promise<void>((resolve) => {
        this.#look = resolve;
      });
    return this.events;
  }
}

let rtmp: RtmpTarget;

beforeEach(async () => {
  rtmp = await new RtmpTarget().listen();
});

afterEach(() => rtmp.close());

test('publishes as OBS does, with the path as app, the key untouched, and the ids of the deployments', async () => {
  const told = new Told(rtmp.url('live/more?a=1/'));
  expect(await told.until(1)).toEqual(['opened']);
  expect(told.target.remote).toBe(`127.0.0.1:${rtmp.port}`);
  const [connection] = rtmp.connections;
  expect(connection?.request).toMatchObject({ app: 'live/more?a=1', name: KEY, type: 'live' });
  expect(connection?.session.connectInfo?.properties).toMatchObject({ airlockPassed: 'one,two', type: 'nonprivate' });
});

test('sends messages of any size in order, and unpublishes behind them', async () => {
  const told = new Told(rtmp.url());
  await told.until(1);
  const sizes = [3, 5_000, 70_000, 400_000, 1, 40_000, 40_000];
  for (const [at, size] of sizes.entries())
    told.target.send({ kind: 'video', timestampMs: at * 40, bytes: Buffer.alloc(size, at + 1), atMs: at });
  told.target.flush();
  told.target.close();
  const [connection] = rtmp.connections;
  await rtmp.until(() => connection?.isClosed);
  expect(connection?.unpublished).toBe('FCUnpublish');
  expect(connection?.messages.map(({ timestampMs, bytes }) => [timestampMs, bytes.length])).toEqual(
    sizes.map((size, at) => [at * 40, size]),
  );
  expect(connection?.messages.every(({ bytes }, at) => bytes.every((byte) => byte === at + 1))).toBe(true);
});

test('counts what the kernel has, and says since when it lacks something', async () => {
  rtmp.manner = ({ session, socket }, { requestId }) => {
    session.acceptPublish(requestId);
    socket.pause();
  };
  const told = new Told(rtmp.url());
  await told.until(1);
  expect(told.target.hasRoom).toBe(true);
  // Until the buffers of the kernel are full too.
  for (let sent = 0, turns = 0; turns < 20; turns++) {
    for (; told.target.hasRoom; sent++, turns = 0) {
      told.target.send({ kind: 'video', timestampMs: sent, bytes: Buffer.alloc(100_000), atMs: 50 + sent });
      told.target.flush();
    }
    await new Promise(setImmediate);
  }
  expect(told.target.sinceMs).toBeGreaterThan(50);
  expect(told.target.written).toBeGreaterThan(100_000);
  told.target.close();
});

test.each([
  [
    'a refusal',
    'Invalid stream key',
    'refused: the target says "Invalid stream key" (error NetStream.Publish.BadName)',
  ],
  [
    'a refusal that repeats the key',
    `No ${KEY}, secret-key-1\n!`,
    'refused: the target says "No ***, ***\\n!" (error NetStream.Publish.BadName)',
  ],
])('%s is told in the words of the target', async (_what, words, event) => {
  rtmp.manner = ({ session }, { requestId }) => session.rejectPublish(requestId, 'NetStream.Publish.BadName', words);
  expect(await new Told(rtmp.url()).until(1)).toEqual([event]);
});

test('a target that answers the publish with a result, and sends no onStatus, takes the stream', async () => {
  rtmp.manner = ({ socket }) =>
    void socket.write(
      new ChunkEncoder().encode(3, MESSAGE_TYPE.commandAmf0, 0, 0, encodeAmf0('_result', 5, null, null)),
    );
  expect(await new Told(rtmp.url()).until(1)).toEqual(['opened']);
});

test('an end in words is a loss', async () => {
  const told = new Told(rtmp.url());
  await told.until(1);
  rtmp.connections[0]?.session.sendStatus({
    level: 'error',
    code: 'NetStream.Publish.Rejected',
    description: 'Too long',
  });
  expect(await told.until(2)).toEqual(['opened', 'lost: the target says "Too long"']);
  expect(told.said.at(-1)).toEqual({
    level: 'error',
    code: 'NetStream.Publish.Rejected',
    description: 'Too long',
    atMs: 5_000,
  });
});

test.each([
  ['closes', (): string => 'lost: the target closed the connection', 'end'],
  ['resets', (): string => 'lost: the target reset the connection', 'resetAndDestroy'],
] as const)('a target that %s is a loss', async (_what, event, how) => {
  const told = new Told(rtmp.url());
  await told.until(1);
  rtmp.connections[0]?.socket[how]();
  expect(await told.until(2)).toEqual(['opened', event()]);
});

test('a target that speaks something else is a loss', async () => {
  rtmp.raw = (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'.padEnd(4_000, 'x'));
  expect((await new Told(rtmp.url()).until(1))[0]).toMatch(/^lost: the target does not speak RTMP: /);
});

test('a port without a listener is a loss', async () => {
  const { port } = rtmp;
  await rtmp.close();
  const events = await new Told(`rtmp://127.0.0.1:${port}/live`).until(1);
  rtmp = await new RtmpTarget().listen();
  expect(events).toEqual(['lost: the target refused the connection']);
});

test('nothing is told after the close', async () => {
  const told = new Told(rtmp.url());
  await told.until(1);
  told.target.close();
  await rtmp.until(() => rtmp.connections[0]?.isClosed);
  expect(told.events).toEqual(['opened']);
});

describe('addresses', () => {
  const reach = (addresses: string[], networks: string[] = []): Reachable => ({
    networks: targetNetworks(networks),
    resolve: async () => addresses.map((address): LookupAddress => ({ address, family: 4 })),
  });

  test.each([
    ['a private address', reach(['10.0.0.7'])],
    ['a private address beside a public one', reach(['8.8.8.8', '10.0.0.7'])],
    ['no address', reach([])],
  ])('a name with %s is not connected to', async (_what, reachable) => {
    const [event] = await new Told('rtmp://target.example/live', { reachable }).until(1);
    expect(event).toMatch(
      /^lost: (target\.example port 1935 may not be reached|the host target\.example has no address)/,
    );
  });

  test('a name is connected to at the address that was checked', async () => {
    const told = new Told(`rtmp://target.example:${rtmp.port}/live`, {
      reachable: reach(['127.0.0.1'], [`127.0.0.1:${rtmp.port}`]),
    });
    expect(await told.until(1)).toEqual(['opened']);
  });

  test.each([
    ['8.8.8.8', 1935, true],
    ['8.8.8.8', 22, false],
    ['10.0.0.1', 1935, false],
    ['169.254.169.254', 80, false],
    ['::1', 1935, false],
    ['127.0.0.1', 4_000, true],
  ])('%s port %d may be added: %s', (host, port, isAllowed) => {
    expect(hostRefusal(LOCAL, host, port) === undefined).toBe(isAllowed);
  });
});

describe('certificates', () => {
  const DAY_MS = 86_400_000;

  async function told(names: readonly string[], nowMs: number, isTrusted: boolean): Promise<readonly string[]> {
    const authority = await makeAuthority(names, Date.now());
    const own = await makeServerCertificate(authority, names, nowMs);
    const secure = await new RtmpTarget({ cert: own.certificate, key: own.privateKey }).listen();
    try {
      return await new Told(secure.url(), {
        secureContext: () => createSecureContext({ ca: isTrusted ? [authority.certificate] : [] }),
      }).until(1);
    } finally {
      await secure.close();
    }
  }

  test.each([
    ['of a trusted authority', ['127.0.0.1'], 0, true, 'opened'],
    ['of another authority', ['127.0.0.1'], 0, false, 'lost: the certificate is not of a trusted authority'],
    ['for another name', ['target.example'], 0, true, 'lost: the certificate is for other names'],
    ['that has expired', ['127.0.0.1'], -3_000 * DAY_MS, true, 'lost: the certificate has expired'],
  ] as const)('a target with one %s', async (_what, names, sinceMs, isTrusted, event) => {
    expect(await told(names, Date.now() + sinceMs, isTrusted)).toEqual([event]);
  });

  inFull(
    'a certificate that expires while the target takes the stream ends nothing, and the next connection is refused',
    async () => {
      const names = ['127.0.0.1'];
      const authority = await makeAuthority(names, Date.now());
      // Certificates have seconds.
      const expiresMs = Math.ceil(Date.now() / 1_000) * 1_000 + 4_000;
      const own = await makeServerCertificate(authority, names, expiresMs - 365 * DAY_MS);
      const secure = await new RtmpTarget({ cert: own.certificate, key: own.privateKey }).listen();
      try {
        const options = { secureContext: () => createSecureContext({ ca: [authority.certificate] }) };
        const told = new Told(secure.url(), options);
        expect(await told.until(1)).toEqual(['opened']);
        const next = async (): Promise<string | undefined> => {
          const later = new Told(secure.url(), options);
          const [event] = await later.until(1);
          later.target.close();
          return event;
        };
        await until(async () => (await next()) === 'lost: the certificate has expired');
        told.target.send({ kind: 'video', timestampMs: 40, bytes: Buffer.alloc(100, 7), atMs: 1 });
        told.target.flush();
        const [first] = secure.connections;
        await secure.until(() => first !== undefined && first.messages.length > 0);
        expect(told.events.filter((event) => event !== 'wrote')).toEqual(['opened']);
        told.target.close();
      } finally {
        await secure.close();
      }
    },
  );

  test('a target that does not speak TLS', async () => {
    rtmp.raw = (socket) => void socket.write('no TLS here');
    expect(await new Told(rtmp.url().replace('rtmp:', 'rtmps:')).until(1)).toEqual(['lost: the TLS handshake failed']);
  });
});
