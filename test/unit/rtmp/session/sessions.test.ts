import { encodeAmf0 } from '../../../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../../../src/rtmp/chunks/encoder.js';
import { ClientPeer, join, pieces, publishing, ServerPeer } from '../peers.js';

const VIDEO = new Uint8Array(10_000).map((_, i) => i * 7);
const AUDIO = new Uint8Array(300).map((_, i) => i * 3);

describe('a client session publishes to a server session', () => {
  test.each([
    ['plain', {}],
    ['digest scheme 0', { digest: 0 as const }],
    ['digest scheme 1', { digest: 1 as const }],
    ['chunk size 128', { chunkSize: 128 }],
    ['chunk size 1', { chunkSize: 1 }],
    ['delta headers', { headers: 'delta' as const }],
    ['wide chunk stream ids', { mediaChunkStreamId: 65_599 }],
  ])('succeeds with %s', (_name, options) => {
    const { server, client } = publishing(options);
    expect(client.isPublishing).toBe(true);
    expect(server.session.state).toBe('publishing');
    client.session.sendMetadata({ width: 1280, encoder: 'test' });
    client.session.sendVideo(0, VIDEO);
    client.session.sendAudio(10, AUDIO);
    client.session.sendVideo(33, VIDEO);
    client.session.close();
    expect(server.data).toEqual([{ name: 'onMetaData', values: [{ width: 1280, encoder: 'test' }] }]);
    expect(server.video.map((message) => message.timestampMs)).toEqual([0, 33]);
    expect(server.video.map((message) => Buffer.from(message.payload).equals(VIDEO))).toEqual([true, true]);
    expect(server.audio.map((message) => [message.timestampMs, message.payload])).toEqual([[10, AUDIO]]);
    expect(server.unpublishes).toEqual([['FCUnpublish', 1]]);
    expect(server.faults).toEqual([]);
  });

  test.each([1, 2, 3, 5, 7, 11, 127, 1536, 4096])('succeeds in pieces of %d bytes both ways', (size) => {
    const server = new ServerPeer();
    const client = new ClientPeer({ digest: 1 });
    join(server, client, (bytes) => pieces(bytes, size));
    client.session.start();
    client.session.sendVideo(0, VIDEO);
    expect(client.session.handshake.serverVerified).toBe(true);
    expect(server.video.map((message) => Buffer.from(message.payload).equals(VIDEO))).toEqual([true]);
  });

  test('delivers code and description of a refusal to the client', () => {
    const server = new ServerPeer((request, session) => {
      session.rejectPublish(request.requestId, 'NetStream.Publish.BadName', 'No live video has this key.');
    });
    const { client } = publishing({}, server);
    expect(client.session.refusal).toMatchObject({
      level: 'error',
      code: 'NetStream.Publish.BadName',
      description: 'No live video has this key.',
    });
    expect(server.session.state).toBe('refused');
  });

  test.each([-1, 2 ** 32, 1.5, Number.NaN])('takes stream %d from a server as the first', (streamId) => {
    const { client: other, server } = publishing();
    expect(other.session.streamId).toBe(1);
    const client = new ClientPeer();
    client.session.start();
    client.session.push(server.writes[0]?.slice() ?? new Uint8Array());
    const encoder = new ChunkEncoder();
    for (const body of [encodeAmf0('_result', 1, {}, {}), encodeAmf0('_result', 4, null, streamId)]) {
      client.session.push(new Uint8Array(encoder.encode(3, 20, 0, 0, body)));
    }
    expect(client.session.streamId).toBe(1);
    expect(Buffer.concat(client.writes).includes('publish')).toBe(true);
  });
});
