/** Interoperability of a session. */
import { encodeAmf0 } from '../../src/rtmp/amf/amf0-encoder.js';
import { ClientPeer, hex, join, publishing, ServerPeer } from '../unit/rtmp/peers.js';
import { RawPublisher } from './raw-publisher.js';

const undecided = (): ServerPeer => new ServerPeer(() => undefined);

describe('a session', () => {
  test('can send a status in every state', () => {
    const status = { level: 'error', code: 'NetStream.Publish.Rejected', description: 'Stopped.' } as const;
    const publisher = new RawPublisher(undecided());
    for (const step of [
      () => publisher.shakeHands(),
      () => publisher.connect(),
      () => publisher.command(0, 'createStream', 4, null).command(1, 'publish', 5, null, 'key', 'live'),
      () => publisher.server.session.acceptPublish(1),
      () => publisher.command(0, 'deleteStream', 0, null, 1),
    ]) {
      step();
      expect(() => publisher.server.session.sendStatus(status)).not.toThrow();
    }
  });

  test('accepts the older publish style', () => {
    const publisher = new RawPublisher().shakeHands().connect().command(0, 'createStream', 2, null);
    publisher.command(1, 'publish', 0, null, 'key');
    expect(publisher.server.publishes).toMatchObject([{ name: 'key', type: 'live' }]);
    expect(publisher.answers().some((answer) => answer.name === 'onFCPublish')).toBe(false);
  });

  test('reads repeated metadata with and without @setDataFrame, as object or ECMA array, on stream 0', () => {
    const publisher = new RawPublisher().publish();
    const ecma = hex('02 000a 6f6e4d65746144617461 08 00000000 0005 7769647468 00 4094000000000000 0000 09');
    publisher.message(18, encodeAmf0('onMetaData', { width: 1280 }), 1).message(18, ecma, 0);
    publisher.message(18, new Uint8Array([...encodeAmf0('@setDataFrame'), ...ecma]), 1);
    expect(publisher.server.data).toEqual(Array(3).fill({ name: 'onMetaData', values: [{ width: 1280 }] }));
  });

  test('delivers empty media messages', () => {
    const { server, client } = publishing();
    client.session.sendAudio(0, new Uint8Array(0));
    client.session.sendVideo(0, new Uint8Array(0));
    expect([server.audio[0]?.payload.length, server.video[0]?.payload.length]).toEqual([0, 0]);
  });

  test('restarts timestamps with a new connection', () => {
    const first = publishing({ timestampOffsetMs: 5_000_000 });
    first.client.session.sendVideo(0, hex('17'));
    const second = publishing();
    second.client.session.sendVideo(0, hex('17'));
    expect([first.server.video[0]?.timestampMs, second.server.video[0]?.timestampMs]).toEqual([5_000_000, 0]);
  });

  test('serves a thousand successive connections alike', () => {
    for (let i = 0; i < 1000; i++) {
      const server = new ServerPeer();
      const client = new ClientPeer();
      join(server, client);
      client.session.start();
      expect(client.isPublishing).toBe(true);
    }
  });
});
