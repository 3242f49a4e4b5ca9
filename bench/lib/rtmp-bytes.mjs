// RTMP as bytes, written down without Airlock's own encoder, so that the load does not share its mistakes.
import { randomBytes } from 'node:crypto';

const AMF = { number: 0, boolean: 1, string: 2, object: 3, null: 5, end: 9 };

const string = (text) => {
  const body = Buffer.from(text, 'utf8');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length);
  return Buffer.concat([length, body]);
};

function amf(value) {
  if (value === null) return Buffer.of(AMF.null);
  if (typeof value === 'string') return Buffer.concat([Buffer.of(AMF.string), string(value)]);
  if (typeof value === 'boolean') return Buffer.of(AMF.boolean, value ? 1 : 0);
  if (typeof value === 'number') {
    const out = Buffer.alloc(9);
    out.writeDoubleBE(value, 1);
    return out;
  }
  const members = Object.entries(value).flatMap(([key, member]) => [string(key), amf(member)]);
  return Buffer.concat([Buffer.of(AMF.object), ...members, Buffer.of(0, 0, AMF.end)]);
}

/** One message in chunks of `chunkSize`. `header` is 18 at most: basic, message header, extended timestamp. */
export function message({ csid, typeId, streamId, timestampMs, payload, chunkSize }) {
  const extended = timestampMs >= 0xffffff;
  const parts = [];
  const head = Buffer.alloc(12);
  head[0] = csid;
  head.writeUIntBE(extended ? 0xffffff : timestampMs, 1, 3);
  head.writeUIntBE(payload.length, 4, 3);
  head[7] = typeId;
  head.writeUInt32LE(streamId, 8);
  const time = Buffer.alloc(extended ? 4 : 0);
  if (extended) time.writeUInt32BE(timestampMs >>> 0);
  parts.push(head, time);
  for (let at = 0; at < payload.length || at === 0; at += chunkSize) {
    if (at > 0) parts.push(Buffer.of(0xc0 | csid), time);
    parts.push(payload.subarray(at, at + chunkSize));
  }
  return Buffer.concat(parts);
}

const command = (streamId, ...values) =>
  message({ csid: 3, typeId: 20, streamId, timestampMs: 0, payload: Buffer.concat(values.map(amf)), chunkSize: 128 });

export const C0C1 = Buffer.concat([Buffer.of(3), Buffer.alloc(8), randomBytes(1528)]);
export const HANDSHAKE_REPLY_BYTES = 1 + 1536 * 2;

/** C2 and everything up to the publish, in one burst; then the chunk size for the media. */
export function publishBurst(serverHello, app, key, chunkSize) {
  const setChunkSize = Buffer.alloc(4);
  setChunkSize.writeUInt32BE(chunkSize);
  return Buffer.concat([
    serverHello.subarray(1, 1537),
    command(0, 'connect', 1, {
      app,
      type: 'nonprivate',
      flashVer: 'FMLE/3.0 (compatible; bench)',
      tcUrl: `rtmps://localhost/${app}`,
    }),
    command(0, 'releaseStream', 2, null, key),
    command(0, 'FCPublish', 3, null, key),
    command(0, 'createStream', 4, null),
    command(1, 'publish', 5, null, key, 'live'),
    message({ csid: 2, typeId: 1, streamId: 0, timestampMs: 0, payload: setChunkSize, chunkSize: 128 }),
  ]);
}
