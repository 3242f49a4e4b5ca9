/** Reasons of the failures in docs/conformance.json, read in the bytes on the wire and in the source of the versions that it names. */
export type Peer = 'nginx-rtmp' | 'node-media-server';

const NO_ANSWER_TO_VALUE =
  'The connection is closed: `ngx_rtmp_amf_read` knows numbers, booleans, strings, objects, null, undefined and both arrays.';
const BEYOND_32 =
  'The connection is closed: chunk streams end at `max_streams`, 32 unless configured. Known encoders stay below.';
const PAST_THE_END = 'A value is read past the end of the message; the error of `Buffer` has no handler.';
const RECURSION = 'The decoder calls itself for each level until the stack is full; the error has no handler.';
const UNKNOWN_MARKER =
  '`amfXDecodeOne` returns null for a marker that it does not know; its callers read a member of it.';
const NOT_A_URL = '`new URL(tcUrl)` throws, and the error has no handler.';
const NO_EVENTS = 'User control messages are read and ignored (`eventHandler` is empty).';

const SIGNATURE_ORDER = 'OpenSSL follows the order of the client, which here begins with RSA-PSS.';

export const NOTES: Readonly<Record<Peer, Readonly<Record<string, string>>>> = {
  'nginx-rtmp': {
    'handshake/http-request':
      'The version is looked at when all 1537 bytes have come. The connection stays open until the timeout of 60 s.',
    'handshake/s1-random': 'S1 repeats C1 where C1 has no digest.',
    'chunks/abort':
      'Abort is read and ignored (`ngx_rtmp_protocol_message_handler`). The next message is joined to the unfinished one.',
    'chunks/abort-then-type-3': 'Abort is read and ignored: the unfinished message is completed with the next one.',
    'chunks/chunk-stream-both-forms': BEYOND_32,
    'chunks/chunk-stream-three-bytes': BEYOND_32,
    'chunks/chunk-stream-two-bytes': BEYOND_32,
    'chunks/chunk-streams-apart': BEYOND_32,
    'chunks/extended-timestamp-omitted':
      'The four bytes are always read in type 3 chunks, as the standard says. `publish_time_fix off` reads them never.',
    'chunks/set-chunk-size-1':
      'Bytes that were read behind Set Chunk Size are copied into a buffer of the new size; those that do not fit are lost (`ngx_rtmp_recv`).',
    'chunks/set-chunk-size-between': 'The change from 1000 to 64 bytes loses bytes, like the one to 1.',
    'chunks/set-chunk-size-largest':
      'The connection is closed: sizes above 10,485,760 are refused (`NGX_RTMP_MAX_CHUNK_SIZE`).',
    'control/stream-begin': 'Stream Begin is sent to players only.',
    'control/tiny-window': 'Each read of at least the window is acknowledged.',
    'amf/amf3-without-format-byte':
      'A byte is skipped in each message of type 17, so the name of the command is not read.',
    'amf/empty-command': 'The connection is closed: a name is required.',
    'amf/every-type': NO_ANSWER_TO_VALUE,
    'amf/long-string': NO_ANSWER_TO_VALUE,
    'amf/reference': NO_ANSWER_TO_VALUE,
    'amf/typed-object': NO_ANSWER_TO_VALUE,
    'publishing/media-before-stream':
      'Metadata before connect: `ngx_rtmp_codec_meta_data` reads the settings of an application that is not chosen yet. The master starts another worker; the connections of the first are lost.',
    'limits/handshake-slow': 'The timeout of 60 s begins anew with each byte.',
    'limits/idle-after-connect':
      'A connected client is pinged, and closed when it does not answer: after a minute and a half.',
    'tls/pkcs1-signature': SIGNATURE_ORDER,
  },
  'node-media-server': {
    'handshake/http-request': 'The version is not looked at, and no deadline closes the connection.',
    'handshake/s1-random': 'S1 repeats C1 where C1 has no digest.',
    'chunks/abort': 'Abort is read and ignored. The next message is joined to the unfinished one.',
    'chunks/abort-then-type-3': 'Abort is read and ignored: the unfinished message is completed with the next one.',
    'chunks/chunk-stream-both-forms':
      'An id of three bytes is shifted by a byte (`packetParse`), so it is another one than that of two bytes.',
    'chunks/extended-timestamp-omitted': 'The four bytes are always read in type 3 chunks, as the standard says.',
    'control/acknowledgement': 'The window is stored; a server session sends no acknowledgement.',
    'control/empty-control': PAST_THE_END,
    'control/ping': NO_EVENTS,
    'control/ping-while-publishing': NO_EVENTS,
    'control/stream-begin': 'Stream Begin is sent to players only.',
    'amf/amf3-integer-cut': UNKNOWN_MARKER,
    'amf/amf3-value': 'An AMF3 value is not read, and a member of the missing metadata is (`broadcastMessage`).',
    'amf/amf3-without-format-byte':
      'A byte is skipped in each message of type 17, so the name of the command is not read.',
    'amf/array-count': PAST_THE_END,
    'amf/deep-nesting': RECURSION,
    'amf/deep-objects': RECURSION,
    'amf/empty-command': PAST_THE_END,
    'amf/every-type': UNKNOWN_MARKER,
    'amf/truncated-number': PAST_THE_END,
    'amf/truncated-object': PAST_THE_END,
    'amf/unknown-marker': UNKNOWN_MARKER,
    'commands/chunk-streams': 'All commands are sent on chunk stream 3.',
    'commands/connect-without-object': 'A member of the missing object is read; the error has no handler.',
    'commands/lower-case-tcurl': NOT_A_URL,
    'commands/publish-before-connect': 'The order of commands is not held: the stream starts, without an application.',
    'commands/tcurl-missing': NOT_A_URL,
    'commands/tcurl-no-url': NOT_A_URL,
    'commands/wrong-types': NOT_A_URL,
    'publishing/fcpublish-late':
      'A second publish of the same name is a second publisher, which is closed: here with its own connection.',
    'publishing/name-not-text': 'The name is split as text; the error has no handler.',
    'publishing/no-name': 'The name is split as text; the error has no handler.',
    'publishing/odd-names':
      'The description repeats the name. `amf0encString` writes its length in characters and not in bytes, so the answer cannot be read.',
    'limits/handshake-slow': 'No deadline ends a connection that does not publish.',
    'limits/handshake-not-begun': 'No deadline ends a connection that does not publish.',
    'limits/idle-after-connect': 'No deadline ends a connection that does not publish.',
    'limits/unfinished-48-mb': 'Unfinished messages have no bound.',
    'tls/unfinished-handshake': 'The deadline is that of Node, 120 s.',
    'tls/no-session-ticket': 'TLS 1.3 as Node offers it, with two tickets.',
    'tls/pkcs1-signature': SIGNATURE_ORDER,
  },
};
