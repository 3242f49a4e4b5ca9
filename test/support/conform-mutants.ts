/** Faults to plant in a server session, and the conformance cases that find each. No other case fails. */
import type { Fault } from './mutated-session.js';

/** Name, fault, ids of the cases. */
export const MUTANTS: readonly (readonly [string, Fault, readonly string[]])[] = [
  [
    'S2 is random',
    { file: 'handshake/server-handshake.ts', from: 's2.set(c1);', to: 's2.set(this.#randomBytes(HANDSHAKE_BYTES));' },
    ['handshake/byte-by-byte', 'handshake/invalid-digest', 'handshake/s2-equals-c1', 'handshake/s2-repeats-c1'],
  ],
  [
    'S0 is version 6',
    { file: 'handshake/server-handshake.ts', from: 'out[0] = RTMP_VERSION;', to: 'out[0] = 6;' },
    ['handshake/s0-version'],
  ],
  [
    'S2 is signed as a client',
    {
      file: 'handshake/server-handshake.ts',
      from: "signReply(s2, found.digest, 'server')",
      to: "signReply(s2, found.digest, 'client')",
    },
    ['handshake/digest-scheme-0', 'handshake/digest-scheme-1'],
  ],
  [
    'a C1 in pieces is put together wrongly',
    { file: 'handshake/server-handshake.ts', from: 'this.#received - 1);', to: '0);' },
    ['handshake/byte-by-byte'],
  ],
  [
    'S1 is the same in each connection',
    {
      file: 'handshake/server-handshake.ts',
      from: 's1.set(this.#randomBytes(HANDSHAKE_BYTES - FILL_FROM), FILL_FROM);',
      to: '',
    },
    ['handshake/s1-random'],
  ],
  [
    'any version is a plain handshake',
    { file: 'handshake/server-handshake.ts', from: 'if (version !== RTMP_VERSION) {', to: 'if (version < 0) {' },
    ['handshake/http-request'],
  ],
  [
    'type 3 chunks always have the extended timestamp',
    { file: 'chunks/decoder.ts', from: '& 0xff)) return 0;', to: '& 0xff)) return 4;' },
    ['chunks/extended-timestamp-omitted'],
  ],
  [
    'type 3 chunks never have the extended timestamp',
    { file: 'chunks/decoder.ts', from: 'p += extra;', to: '' },
    ['chunks/extended-timestamp-repeated', 'chunks/timestamp-wraps'],
  ],
  [
    'chunk stream ids of three bytes are big-endian',
    {
      file: 'chunks/decoder.ts',
      from: '64 + (bytes[p] as number) + (bytes[p + 1] as number) * 256',
      to: '64 + (bytes[p + 1] as number) + (bytes[p] as number) * 256',
    },
    ['chunks/chunk-stream-both-forms'],
  ],
  [
    'ids of three bytes lack their high byte',
    { file: 'chunks/decoder.ts', from: ' + (bytes[p + 1] as number) * 256;', to: ';' },
    ['chunks/chunk-streams-apart'],
  ],
  [
    'Abort is ignored',
    { file: 'chunks/decoder.ts', from: 'this.#unfinished--;\n    aborted.drop();', to: '' },
    ['chunks/abort-then-type-3'],
  ],
  [
    'extended timestamps are not read',
    {
      file: 'chunks/decoder.ts',
      from: 'const extended = timeField === EXTENDED_TIMESTAMP;',
      to: 'const extended = false;',
    },
    [
      'chunks/extended-delta',
      'chunks/extended-timestamp',
      'chunks/extended-timestamp-omitted',
      'chunks/extended-timestamp-repeated',
      'chunks/split-anywhere',
      'chunks/timestamp-wraps',
      'publishing/starts-late',
    ],
  ],
  [
    'a chunk stream may not begin with type 1',
    { file: 'chunks/decoder.ts', from: 'if (format === 2) throw', to: 'if (format > 0) throw' },
    ['chunks/first-header-type-1'],
  ],
  [
    'chunk sizes above 64 KiB are refused',
    { file: 'chunks/decoder.ts', from: 'if (size < 1 || size > 0x7fffffff)', to: 'if (size < 1 || size > 0x10000)' },
    ['chunks/set-chunk-size-largest'],
  ],
  [
    'acknowledgements say 0',
    { file: 'session/server-output.ts', from: 'u32Body(totalBytes % 0x1_0000_0000)', to: 'u32Body(0)' },
    ['control/acknowledgement-count'],
  ],
  [
    'no acknowledgement is sent',
    {
      file: 'session/server-session.ts',
      from: 'this.#sink.send(this.#output.acknowledgement(this.#received));',
      to: '',
    },
    ['control/acknowledgement'],
  ],
  [
    'each packet is acknowledged where the client wishes it',
    { file: 'session/server-session.ts', from: 'Math.max(size, SMALLEST_ACK_WINDOW)', to: 'size' },
    ['control/tiny-window'],
  ],
  [
    'ping responses have no time',
    {
      file: 'session/server-output.ts',
      from: 'userControlBody(USER_CONTROL.pingResponse, time)',
      to: 'userControlBody(USER_CONTROL.pingResponse, 0)',
    },
    ['control/ping', 'control/ping-while-publishing'],
  ],
  [
    'control messages come on chunk stream 4',
    { file: 'protocol.ts', from: '{ control: 2,', to: '{ control: 4,' },
    ['control/control-chunk-stream'],
  ],
  [
    'long strings are not read',
    { file: 'amf/amf0-decoder.ts', from: 'case AMF0_MARKER.longString:\n', to: '' },
    ['amf/long-string'],
  ],
  [
    'too many AMF values are an error of the program',
    {
      file: 'amf/amf-value.ts',
      from: "throw new WireError('AMF_TOO_MANY_ENTRIES',",
      to: "throw new Error('AMF_TOO_MANY_ENTRIES',",
    },
    ['amf/array-count'],
  ],
  [
    'nesting is an error of the program',
    { file: 'amf/amf-value.ts', from: "throw new WireError('AMF_TOO_DEEP',", to: "throw new Error('AMF_TOO_DEEP'," },
    ['amf/deep-nesting'],
  ],
  [
    'the format byte of AMF3 commands is read as a value',
    { file: 'messages/command.ts', from: 'return flex && body[0] === 0 ? 1 : 0;', to: 'return flex ? 0 : 0;' },
    ['amf/amf3-commands', 'amf/amf3-connect'],
  ],
  [
    'the format byte of AMF3 commands is always skipped',
    { file: 'messages/command.ts', from: 'return flex && body[0] === 0 ? 1 : 0;', to: 'return flex ? 1 : 0;' },
    ['amf/amf3-without-format-byte'],
  ],
  [
    'the count of an ECMA array is believed',
    {
      file: 'amf/amf0-decoder.ts',
      from: 'this.#reader.skip(4);\n        return this.#object();',
      to: 'return this.#strictArray();',
    },
    ['amf/ecma-array'],
  ],
  [
    'references are not read',
    { file: 'amf/amf0-decoder.ts', from: 'reference: 0x07,', to: 'reference: 0x27,' },
    ['amf/reference'],
  ],
  [
    'stream ids begin with 0',
    { file: 'session/publish-negotiation.ts', from: 'const FIRST_ID = 1;', to: 'const FIRST_ID = 0;' },
    ['amf/amf3-commands', 'commands/create-stream'],
  ],
  [
    'connect is answered with another code',
    {
      file: 'session/server-output.ts',
      from: "'NetConnection.Connect.Success'",
      to: "'NetConnection.Connect.Accepted'",
    },
    ['commands/connect-success'],
  ],
  [
    'calls that are not known are errors',
    {
      file: 'session/publish-negotiation.ts',
      from: 'return this.#result(command, undefined);\n    }\n  }',
      to: "return [answer(this.#output.error(command.transactionId, statusObject({ level: 'error', code: 'x', description: 'x' })))];\n    }\n  }",
    },
    ['commands/release-stream'],
  ],
  [
    'answers are answered',
    {
      file: 'session/publish-negotiation.ts',
      from: "      case '_result':\n      case '_error':\n      case 'onStatus':\n",
      to: '',
    },
    ['commands/answers-are-not-answered'],
  ],
  [
    'transaction 0 is answered',
    { file: 'session/publish-negotiation.ts', from: 'command.transactionId === 0 ? NOTHING : ', to: '' },
    ['commands/transaction-0'],
  ],
  [
    'stream answers come on chunk stream 3',
    { file: 'protocol.ts', from: 'stream: 5 }', to: 'stream: 3 }' },
    ['commands/chunk-streams'],
  ],
  [
    'NetStream.Publish.Start comes on stream 0',
    {
      file: 'session/server-output.ts',
      from: "parts.push(this.#command(messageStreamId, ['onStatus', 0, null, info]));",
      to: "parts.push(this.#command(0, ['onStatus', 0, null, info]));",
    },
    ['publishing/start-stream'],
  ],
  [
    'descriptions are empty',
    { file: 'messages/command.ts', from: "words === '' ? code : words", to: "''" },
    ['publishing/refusal-reason', 'publishing/status-fields'],
  ],
  [
    'a connection publishes once',
    {
      file: 'session/publish-negotiation.ts',
      from: "if (!this.#move('publish')) return before;",
      to: "if (this.#publishes > 0 || !this.#move('publish')) return before;",
    },
    ['publishing/again'],
  ],
  [
    'FCPublish ends the publish',
    {
      file: 'session/publish-negotiation.ts',
      from: 'if (this.#publish === undefined) this.#fcPublish = command.transactionId;',
      to: "if (this.#publish !== undefined) return this.#unpublish('republish');",
    },
    ['publishing/fcpublish-late'],
  ],
  [
    'fourCcList is a text',
    { file: 'messages/capabilities.ts', from: "fourCcList: ['avc1', 'mp4a'],", to: "fourCcList: 'avc1,mp4a'," },
    ['enhanced/answer-fourcc-list'],
  ],
  [
    'capsEx has a bit that is not defined',
    { file: 'messages/capabilities.ts', from: 'capsEx: CAPS_EX.reconnect |', to: 'capsEx: 0x40 | CAPS_EX.reconnect |' },
    ['enhanced/answer-caps-ex'],
  ],
  [
    'capabilities are sent to all',
    {
      file: 'session/publish-negotiation.ts',
      from: 'info.capabilities === undefined ? undefined : SERVER_CAPABILITIES',
      to: 'SERVER_CAPABILITIES',
    },
    ['enhanced/older-client'],
  ],
  [
    'a list of FourCCs is believed to be one',
    {
      file: 'messages/capabilities.ts',
      from: 'if (Array.isArray(fourCcList)) for',
      to: 'if (fourCcList !== undefined) for',
    },
    ['enhanced/odd-capabilities'],
  ],
  [
    'unfinished messages have no bound',
    { file: 'chunks/decoder.ts', from: 'this.heldMax = this.#limits.unfinishedBytes;', to: 'this.heldMax = 2 ** 40;' },
    ['limits/unfinished-48-mb'],
  ],
  [
    'too many ignored messages are an error of the program',
    {
      file: 'session/server-session.ts',
      from: "throw new WireError(\n        'RTMP_TOO_MANY_IGNORED',",
      to: "throw new Error(\n        'RTMP_TOO_MANY_IGNORED',",
    },
    ['limits/unknown-flood'],
  ],
  [
    'too many chunk streams are an error of the program',
    {
      file: 'chunks/chunk-streams.ts',
      from: 'throw tooManyChunkStreams(id, this.#most, offset);',
      to: 'throw new RangeError(String(id));',
    },
    ['limits/chunk-streams'],
  ],
];
