/** Valid RTMP bytes, message by message, and bounds small enough for damaged ones to reach. */

import { AmfDate } from '../../../src/rtmp/amf/amf-value.js';
import { EcmaArray, encodeAmf0 } from '../../../src/rtmp/amf/amf0-encoder.js';
import { ChunkEncoder } from '../../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS, type RtmpLimits } from '../../../src/rtmp/limits.js';
import type { Parts } from '../../support/fuzz.js';
import { ClientPeer, hex, join, ServerPeer } from '../../unit/rtmp/peers.js';
import { FFMPEG_C1, FFMPEG_PUBLISH, GSTREAMER_PUBLISH, SCHEME_1_C1 } from '../../unit/rtmp/vectors.js';

export const SMALL_LIMITS: RtmpLimits = {
  ...DEFAULT_RTMP_LIMITS,
  messageBytes: 20_000,
  commandBytes: 2000,
  chunkStreams: 6,
  unfinishedBytesBeforePublish: 6000,
  unfinishedBytes: 12_000,
  freeChunks: 60,
  ignoredMessages: 5,
  messageStreams: 4,
};

/** Size of C0, C1 and C2, and of S0, S1 and S2. */
export const HANDSHAKE_BYTES = 3073;

/** All writes of our client in a session with every message type. */
function clientWrites(options: ConstructorParameters<typeof ClientPeer>[0]): Parts {
  const server = new ServerPeer();
  const client = new ClientPeer(options);
  join(server, client);
  client.session.start();
  client.session.sendMetadata({ width: 1280, nested: { list: [1, 'a'] } });
  for (let i = 0; i < 4; i++) {
    client.session.sendVideo(i * 33, new Uint8Array(150 + i * 90).fill(0x17 + i));
    client.session.sendAudio(i * 33 + 5, new Uint8Array(20).fill(0xaf));
  }
  client.session.sendCommand(0, '_checkbw', 9, null);
  client.session.close();
  return client.writes;
}

function behindHandshake(writes: Parts): Parts {
  let bytes = 0;
  return writes.filter((part) => {
    bytes += part.length;
    return bytes > HANDSHAKE_BYTES;
  });
}

export const SESSIONS: readonly Parts[] = [
  clientWrites({ chunkSize: 128 }),
  clientWrites({ headers: 'delta', chunkSize: 200, timestampOffsetMs: 16_777_180 }),
  clientWrites({ headers: 'delta', chunkSize: 128, timestampOffsetMs: 2 ** 32 - 50, omitRepeatedTimestamps: true }),
  clientWrites({ mediaChunkStreamId: 400, fourCcList: ['hvc1'], chunkSize: 128 }),
];

const SET_CHUNK_SIZE = '02 000000 000004 01 00000000 00000010';
const ABORT = '02 000000 000004 02 00000000 00000006';

export const CHUNKS: readonly Parts[] = [
  ...SESSIONS.map(behindHandshake),
  ...[FFMPEG_PUBLISH, GSTREAMER_PUBLISH].map((vector) => [hex(vector).subarray(0, 900)]),
  [
    new ChunkEncoder().encode(
      6,
      22,
      1,
      9,
      hex('09 000002 000064 00 000000 1701 0000000d 08 000001 000078 00 000000 af'),
    ),
  ],
  [hex(SET_CHUNK_SIZE), hex('06 000000 000020 09 01000000 00112233445566778899aabbccddeeff'), hex(ABORT)],
  [
    hex('46 000021 000002 09 1700'),
    hex('c6 1701'),
    hex('86 000005 1702'),
    hex('00 00 ffffff 000003 08 01000000 01234567 aaaaaa'),
  ],
];

export const HANDSHAKES: readonly Parts[] = [FFMPEG_C1, SCHEME_1_C1].map((c1) => [
  Uint8Array.of(3),
  new Uint8Array(Buffer.from(c1, 'base64')),
  new Uint8Array(1536),
]);

export const AMF0: readonly Parts[] = [
  encodeAmf0('connect', 1, { app: 'live', fourCcList: ['a', 'b'], n: null, u: undefined, d: new AmfDate(5) }),
  encodeAmf0('@setDataFrame', 'onMetaData', new EcmaArray({ width: 1, stereo: true, deep: { er: { still: [1] } } })),
  hex('10 0001 43 0001 61 05 0000 09 07 0000 0b 4276bf2d6c000000 0000 0c 00000001 61 0f 00000001 61 0d'),
  hex('11 09 05 01 0a 13 01 0361 0401 0a 01 0402 11 11 05 00 06 0361 0401 0402 03'),
  hex('03 0009 5f5f70726f746f5f5f 03 0001 61 05 000009 000009 0a 00000001 07 0000'),
].map((body) => [body]);

export const AMF3: readonly Parts[] = [
  hex('09 05 01 0a 13 01 0361 0401 0a 01 0402'),
  hex('0a 0b 01 0361 06 05 6869 0362 0c 05 0102 01'),
  hex('11 05 00 06 0361 0401 0402 03'),
  hex('10 05 00 01 0d 03 00 ffffffff 0f 03 00 3ff8000000000000'),
  hex('09 03 0361 08 01 4276bf2d6c000000 01 0b 03 61'),
].map((body) => [body]);

/** All writes of our server; the first one is its handshake. */
export function serverWrites(): Parts {
  const server = new ServerPeer();
  const client = new ClientPeer();
  join(server, client);
  client.session.start();
  return server.writes;
}
