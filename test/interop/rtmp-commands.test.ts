/** Interoperability of commands. */
import { WireError } from '../../src/bytes/wire-error.js';
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { userControlBody } from '../../src/rtmp/messages/control.js';
import type { PublishRequest } from '../../src/rtmp/session/server-session.js';
import { hex, ServerPeer } from '../unit/rtmp/peers.js';
import { RawPublisher } from './raw-publisher.js';

const undecided = (): ServerPeer => new ServerPeer(() => undefined);

test('accepts tcurl in lower case, and quoted values', () => {
  const publisher = new RawPublisher().shakeHands();
  publisher.command(0, 'connect', 1, { app: '"live"', tcurl: "'rtmps://h/live'", FlashVer: 'cam' });
  expect(publisher.server.connects).toMatchObject([{ app: 'live', tcUrl: 'rtmps://h/live', flashVer: 'cam' }]);
});

test.each([
  ['live', 'live'],
  ['live/', 'live'],
  ['/live/', 'live'],
  ['v2/pub', 'v2/pub'],
  ['live2?backup=1', 'live2?backup=1'],
  // A single path segment with a query.
  ['mystream?', 'mystream?'],
])('reports app %s as %s, whatever the tcUrl', (sent, told) => {
  const seen: PublishRequest[] = [];
  for (const tcUrl of ['rtmps://h/x', 'rtmps://h:1936/x/', 'rtmps://[::1]:1936/x?y=1', 'not a url', '']) {
    const server = new ServerPeer((request) => seen.push(request));
    new RawPublisher(server).shakeHands().connect({ app: sent, tcUrl }).command(0, 'createStream', 4, null);
    server.session.push(new RawPublisher().encoder.encode(3, 20, 1, 0, encodeAmf0('publish', 5, null, 'key', 'live')));
    expect(seen.at(-1)?.tcUrl).toBe(tcUrl);
  }
  expect(seen.map((request) => request.app)).toEqual(Array(5).fill(told));
});

test.each(['1-abc?x=1&y=/z', '1-a%20b+c', 'schlüssel-😀', 'a/b/c', '?only=query', 'k=v'])(
  'reports the publish name %s as sent',
  (name) => {
    expect(new RawPublisher().publish(name).server.publishes).toMatchObject([{ name }]);
  },
);

describe('encoders with one URL field', () => {
  test('reports an empty name as empty, with the app', () => {
    const publisher = new RawPublisher().shakeHands().connect({ app: 'live/1-secret' });
    publisher.command(0, 'createStream', 4, null).command(1, 'publish', 5, null, '', 'live');
    expect(publisher.server.publishes).toMatchObject([{ name: '', app: 'live/1-secret' }]);
  });

  test('reports a name that is missing or not a string as empty', () => {
    for (const values of [[], [null], [5]]) {
      const publisher = new RawPublisher().shakeHands().connect().command(0, 'createStream', 4, null);
      publisher.command(1, 'publish', 5, null, ...values);
      expect(publisher.server.publishes).toMatchObject([{ name: '', type: 'live' }]);
    }
  });
});

describe('publish before or without createStream', () => {
  test('is accepted on stream 1 before createStream is answered', () => {
    const publisher = new RawPublisher().shakeHands().connect().command(1, 'publish', 5, null, 'key', 'live');
    publisher.command(0, 'createStream', 4, null).message(9, hex('17'), 1);
    expect(publisher.statuses().map(([stream, code]) => [stream, code])).toEqual([[1, 'NetStream.Publish.Start']]);
    expect(publisher.answers().find((answer) => answer.transactionId === 4)?.values).toEqual([1]);
    expect(publisher.server.video).toHaveLength(1);
  });

  test('is accepted on stream 0 without createStream, with media on any stream', () => {
    const publisher = new RawPublisher().shakeHands().connect().command(0, 'publish', 5, null, 'key', 'live');
    publisher.message(9, hex('17'), 0).message(9, hex('27'), 1).command(0, 'deleteStream', 0, null, 1);
    expect(publisher.statuses()[0]?.slice(0, 2)).toEqual([0, 'NetStream.Publish.Start']);
    expect(publisher.server.video).toHaveLength(2);
    expect(publisher.server.unpublishes).toEqual([['deleteStream', 0]]);
  });

  test('is answered on the created stream when sent on stream 0', () => {
    const publisher = new RawPublisher().shakeHands().connect().command(0, 'createStream', 4, null);
    publisher.command(0, 'publish', 5, null, 'key', 'live');
    expect(publisher.statuses()[0]?.slice(0, 2)).toEqual([1, 'NetStream.Publish.Start']);
  });

  test('is refused with a reason on a stream that was not created, and a valid one may follow', () => {
    const publisher = new RawPublisher().shakeHands().connect().command(7, 'publish', 5, null, 'key', 'live');
    expect(publisher.statuses()).toEqual([
      [7, 'NetStream.Publish.BadName', 'Stream 7 was not created. Send createStream before publish.'],
    ]);
    publisher.command(0, 'createStream', 6, null).command(1, 'publish', 7, null, 'key', 'live');
    expect(publisher.server.publishes).toHaveLength(1);
  });
});

test('answers FCPublish with its transaction ID, in onFCPublish too', () => {
  const publisher = new RawPublisher().shakeHands().connect().command(0, 'FCPublish', 33, null, 'key');
  expect(publisher.answers().at(-1)).toMatchObject({ name: '_result', transactionId: 33 });
  publisher.command(0, 'createStream', 4, null).command(1, 'publish', 5, null, 'key', 'live');
  const answers = publisher.answers();
  expect(answers.find((answer) => answer.name === 'onFCPublish')).toMatchObject({
    transactionId: 33,
    values: [{ code: 'NetStream.Publish.Start' }],
  });
  expect(answers.filter((answer) => answer.name === 'onStatus')).toHaveLength(1);
});

test('ignores FCPublish after publish, and a repeated publish of the same name', () => {
  const publisher = new RawPublisher().publish();
  publisher.command(0, 'FCPublish', 6, null, 'key').command(1, 'publish', 7, null, 'key', 'live');
  expect(publisher.server.publishes).toHaveLength(1);
  expect(publisher.server.unpublishes).toEqual([]);
  expect(publisher.server.session.state).toBe('publishing');
});

test('answers _checkbw, getStreamLength, unknown calls and pings', () => {
  const publisher = new RawPublisher().publish();
  const before = publisher.received().length;
  publisher.command(0, '_checkbw', 8, null).command(0, 'getStreamLength', 9, null, 'key');
  publisher.command(0, 'somethingNew', 10, null, { a: 1 }).command(0, 'noAnswerWanted', 0, null);
  publisher.message(4, userControlBody(6, 0xdeadbeef), 0, 0, 2).message(4, userControlBody(3, 1), 0, 0, 2);
  publisher.message(4, hex('00'), 0, 0, 2).message(6, hex('00'), 0, 0, 2).message(3, hex(''), 0, 0, 2);
  const answers = publisher.answers().filter((answer) => answer.transactionId >= 8);
  expect(answers.map((answer) => [answer.name, answer.transactionId, answer.values])).toEqual([
    ['_result', 8, [undefined]],
    ['_result', 9, [0]],
    ['_result', 10, [undefined]],
  ]);
  const others = publisher
    .received()
    .slice(before)
    .filter((message) => message.typeId !== 20);
  expect(others.map((message) => [message.typeId, message.payload])).toEqual([[4, hex('0007 deadbeef')]]);
  expect(publisher.server.faults).toEqual(['malformed-control']);
});

test('does not answer answers', () => {
  const publisher = new RawPublisher().publish();
  const before = publisher.server.writes.length;
  for (const name of ['_result', '_error', 'onStatus', 'close']) publisher.command(0, name, 9, null, { code: 'x' });
  expect(publisher.server.writes).toHaveLength(before);
});

test('refuses a second publish on the connection and continues the first', () => {
  const publisher = new RawPublisher().publish().command(0, 'createStream', 6, null);
  publisher.command(2, 'publish', 7, null, 'key2', 'live').message(9, hex('27'), 2).message(9, hex('17'), 1);
  expect(publisher.statuses().slice(1)).toEqual([
    [
      2,
      'NetStream.Publish.BadName',
      'This connection already publishes another stream. Use one connection per stream.',
    ],
  ]);
  expect(publisher.server.video.map((message) => message.payload)).toEqual([hex('17')]);
  expect(publisher.server.faults).toEqual(['second-publish', 'media-on-other-stream']);
  publisher.command(0, 'FCUnpublish', 8, null, 'key2').command(0, 'deleteStream', 0, null, 2);
  expect(publisher.server.unpublishes).toEqual([]);
});

test('limits refused publishes', () => {
  const publisher = new RawPublisher().publish().command(0, 'createStream', 6, null);
  expect(() => {
    for (let i = 0; i < 100; i++) publisher.command(2, 'publish', 7, null, `key${i}`, 'live');
  }).toThrow(WireError);
});

describe('publish again on the same connection', () => {
  test('is accepted after deleteStream', () => {
    const publisher = new RawPublisher().publish('first').command(0, 'deleteStream', 0, null, 1);
    publisher
      .message(9, hex('17'), 1)
      .command(0, 'createStream', 6, null)
      .command(2, 'publish', 7, null, 'second', 'live');
    publisher.message(9, hex('27'), 2);
    expect(publisher.server.publishes.map((request) => [request.requestId, request.name, request.streamId])).toEqual([
      [1, 'first', 1],
      [2, 'second', 2],
    ]);
    expect(publisher.server.unpublishes).toEqual([['deleteStream', 1]]);
    expect(publisher.server.faults).toEqual(['media-without-publish']);
    expect(publisher.server.video).toHaveLength(1);
    expect(publisher.statuses().map(([stream, code]) => [stream, code])).toEqual([
      [1, 'NetStream.Publish.Start'],
      [1, 'NetStream.Unpublish.Success'],
      [2, 'NetStream.Publish.Start'],
    ]);
  });

  test('replaces the publish when another name is sent on the same stream', () => {
    const publisher = new RawPublisher().publish('first').command(1, 'publish', 7, null, 'second', 'live');
    expect(publisher.server.unpublishes).toEqual([['republish', 1]]);
    expect(publisher.server.publishes).toHaveLength(2);
    expect(publisher.server.session.state).toBe('publishing');
  });

  test('reports one unpublish for FCUnpublish, deleteStream and closeStream together', () => {
    const publisher = new RawPublisher().publish('key?x=1').command(0, 'FCUnpublish', 6, null, 'key');
    publisher.command(1, 'closeStream', 0, null).command(0, 'deleteStream', 0, null, 1);
    expect(publisher.server.unpublishes).toEqual([['FCUnpublish', 1]]);
  });
});

describe('the decision precedes exactly one onStatus', () => {
  test('sends nothing while the decision is pending', () => {
    const publisher = new RawPublisher(undecided()).publish();
    publisher.message(9, hex('17'), 1).message(18, encodeAmf0('onMetaData', {}), 1);
    expect(publisher.statuses()).toEqual([]);
    expect(publisher.server.faults).toEqual(['media-without-publish', 'data-without-publish']);
    expect(publisher.server.session.acceptPublish(1)).toBe(true);
    expect(publisher.server.session.acceptPublish(1)).toBe(false);
    expect(publisher.server.session.rejectPublish(1, 'X', 'y')).toBe(false);
    publisher.message(9, hex('17'), 1);
    expect(publisher.statuses()).toHaveLength(1);
    expect(publisher.server.video).toHaveLength(1);
  });

  test('ignores a decision on a withdrawn or older publish', () => {
    const publisher = new RawPublisher(undecided()).publish().command(0, 'deleteStream', 0, null, 1);
    expect(publisher.server.unpublishes).toEqual([['deleteStream', 1]]);
    expect(publisher.server.session.acceptPublish(1)).toBe(false);
    publisher.command(0, 'createStream', 6, null).command(2, 'publish', 7, null, 'key', 'live');
    expect(publisher.server.session.rejectPublish(1, 'X', 'y')).toBe(false);
    expect(publisher.server.session.acceptPublish(2)).toBe(true);
    expect(publisher.statuses().map(([stream, code]) => [stream, code])).toEqual([[2, 'NetStream.Publish.Start']]);
  });

  test('sends Stream Begin and Publish.Start in one write', () => {
    const publisher = new RawPublisher(undecided()).publish();
    const before = publisher.server.writes.length;
    publisher.server.session.acceptPublish(1);
    expect(publisher.server.writes).toHaveLength(before + 1);
    expect(
      publisher
        .received()
        .slice(-2)
        .map((message) => message.typeId),
    ).toEqual([4, 20]);
  });
});

test('sends a refusal with code and description, and discards further input', () => {
  const publisher = new RawPublisher(undecided()).publish();
  const { session } = publisher.server;
  expect(session.rejectPublish(1, 'NetStream.Publish.Rejected', 'This broadcast was ended: it ran for 8 hours.')).toBe(
    true,
  );
  expect(publisher.statuses()).toEqual([
    [1, 'NetStream.Publish.Rejected', 'This broadcast was ended: it ran for 8 hours.'],
  ]);
  const writes = publisher.server.writes.length;
  publisher.message(9, hex('17'), 1).command(1, 'publish', 9, null, 'other', 'live').push(hex('ffffffffffff'));
  expect(publisher.server.writes).toHaveLength(writes);
  expect(session.state).toBe('refused');
  expect(publisher.server.publishes).toHaveLength(1);
});

test('sends level, code and description with every status and error', () => {
  const publisher = new RawPublisher().publish();
  publisher.command(9, 'publish', 6, null, 'x', 'live').command(1, 'play', 0, null, 'x');
  for (let i = 0; i < 80; i++) publisher.command(0, 'createStream', 100 + i, null);
  publisher.server.session.sendStatus({ level: 'warning', code: 'NetStream.Publish.Violation', description: '' });
  publisher.command(0, 'deleteStream', 0, null, 1);
  const infos = publisher.answers().filter((answer) => ['onStatus', '_error'].includes(answer.name));
  expect(infos.some((answer) => answer.name === '_error')).toBe(true);
  for (const { values } of infos) {
    const info = values.at(-1) as Record<string, string>;
    expect(info).toMatchObject({ level: expect.stringMatching(/^(status|warning|error)$/), code: expect.any(String) });
    expect(info.description).toMatch(/./);
    expect(Buffer.byteLength(info.description as string)).toBeLessThanOrEqual(255);
  }
});

test('never sends a command named close', () => {
  const publisher = new RawPublisher().publish().command(0, 'deleteStream', 0, null, 1).command(0, 'close', 3, null);
  expect(publisher.answers().map((answer) => answer.name)).not.toContain('close');
});

test('sends onStatus, including later pushes, on the created stream with its fields as AMF0', () => {
  const publisher = new RawPublisher().shakeHands().connect();
  publisher.command(0, 'createStream', 3, null).command(0, 'createStream', 4, null);
  publisher.command(2, 'publish', 5, null, 'key', 'live');
  publisher.server.session.sendStatus({
    level: 'warning',
    code: 'NetStream.Publish.Violation',
    description: `[6208 KEY_FRAME_INTERVAL_TOO_LONG] Too long. ${'Set it to 2 s. '.repeat(30)}`,
    error_code: 6208,
    stream_time_ms: 12,
    broadcast_id: '42',
  });
  expect(publisher.statuses().map(([stream]) => stream)).toEqual([2, 2]);
  const pushed = publisher.answers().at(-1)?.values[0] as Record<string, unknown>;
  expect(pushed).toMatchObject({ error_code: 6208, stream_time_ms: 12, broadcast_id: '42' });
  expect(pushed.description).toMatch(/^\[6208 .* Set it to 2 s\.$/);
  expect(Buffer.byteLength(pushed.description as string)).toBeLessThanOrEqual(255);
});

describe('a connection that ends between connect and publish', () => {
  test('reports only the requested events', () => {
    const steps: ((publisher: RawPublisher) => unknown)[] = [
      (publisher) => publisher.shakeHands(),
      (publisher) => publisher.connect(),
      (publisher) => publisher.command(0, 'releaseStream', 2, null, 'key'),
      (publisher) => publisher.command(0, 'FCPublish', 3, null, 'key'),
      (publisher) => publisher.command(0, 'createStream', 4, null),
      (publisher) => publisher.command(0, 'deleteStream', 0, null, 1),
      (publisher) => publisher.command(0, 'FCUnpublish', 5, null, 'key'),
    ];
    for (let count = 0; count <= steps.length; count++) {
      const publisher = new RawPublisher();
      for (const step of steps.slice(0, count)) step(publisher);
      expect(publisher.server.publishes).toEqual([]);
      expect(publisher.server.unpublishes).toEqual([]);
    }
  });

  test('ignores and counts commands before connect', () => {
    const publisher = new RawPublisher().shakeHands().command(0, 'createStream', 4, null);
    publisher.command(1, 'publish', 5, null, 'key', 'live').message(9, hex('17'), 1);
    expect(publisher.server.writes).toHaveLength(1);
    expect(publisher.server.faults).toEqual(['command-out-of-order', 'command-out-of-order', 'media-without-publish']);
    expect(publisher.connect().server.session.state).toBe('connected');
  });
});
