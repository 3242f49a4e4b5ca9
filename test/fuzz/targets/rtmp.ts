/** RTMP: readers throw WireError only, splits do not change results, and results are bounded. */

import { WireError } from '../../../src/bytes/wire-error.js';
import { type AmfValue, isAmfObject } from '../../../src/rtmp/amf/amf-value.js';
import { decodeAmf0 } from '../../../src/rtmp/amf/amf0-decoder.js';
import { encodeAmf0 } from '../../../src/rtmp/amf/amf0-encoder.js';
import { ChunkDecoder } from '../../../src/rtmp/chunks/decoder.js';
import { ClientHandshake } from '../../../src/rtmp/handshake/client-handshake.js';
import { ServerHandshake } from '../../../src/rtmp/handshake/server-handshake.js';
import { DEFAULT_AMF_LIMITS } from '../../../src/rtmp/limits.js';
import { SESSION_TABLE } from '../../../src/rtmp/session/publish-negotiation.js';
import { decodeAmf3 } from '../../support/amf3.js';
import { cutsChangeNothing, type FuzzTarget, type Random } from '../../support/fuzz.js';
import { ClientPeer, counting, type Heard, Messages, ServerPeer } from '../../unit/rtmp/peers.js';
import {
  AMF0,
  AMF3,
  CHUNKS,
  HANDSHAKE_BYTES,
  HANDSHAKES,
  SESSIONS,
  SMALL_LIMITS,
  serverWrites,
} from './rtmp-corpus.js';

const latin = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
const messageText = (message: Heard): string => JSON.stringify({ ...message, payload: latin(message.payload) });

/** Code of the error that ended it. Bounds checked once per buffer may end it earlier or later. */
function endOf(run: () => void): string {
  try {
    run();
  } catch (error) {
    if (error instanceof WireError) return `${error.code} at ${error.offset}`;
    throw error;
  }
  return 'none';
}

const JUDGED_PER_BUFFER = /^RTMP_(UNFINISHED|CHUNKS)/;

interface Decoder {
  push(bytes: Uint8Array): void;
}

/** The decoder's messages are the same however the input is split, unless a bound checked per buffer was reached. */
export function decodesAlike(make: (messages: Messages) => Decoder, input: Uint8Array, random: Random): void {
  let met = false;
  const run = (pieces: Iterable<Uint8Array>): string => {
    const messages = new Messages();
    const decoder = make(messages);
    const end = endOf(() => {
      for (const piece of pieces) decoder.push(piece);
    });
    met ||= JUDGED_PER_BUFFER.test(end);
    return met ? '' : [...messages.all.map(messageText), ...messages.faults, end].join('\n');
  };
  try {
    cutsChangeNothing(input, random, run);
  } catch (error) {
    if (!met) throw error;
  }
}

/** Total number of members, and their depth. */
function weigh(value: AmfValue, depth = 0): { entries: number; depth: number } {
  const inner = Array.isArray(value) ? value : isAmfObject(value) ? Object.values(value) : [];
  let entries = inner.length;
  let deepest = depth;
  for (const element of inner) {
    const below = weigh(element, depth + 1);
    entries += below.entries;
    deepest = Math.max(deepest, below.depth);
  }
  return { entries, depth: deepest };
}

export function checkAmf(values: readonly AmfValue[]): void {
  for (const value of values) {
    const { entries, depth } = weigh(value);
    if (entries > DEFAULT_AMF_LIMITS.entries || depth > DEFAULT_AMF_LIMITS.depth)
      throw new Error(`${entries} entries, ${depth} deep`);
    JSON.stringify(value);
  }
  if ('a' in {}) throw new Error('the prototype of all objects was changed');
}

function holdsBytes(value: AmfValue): boolean {
  if (value instanceof Uint8Array) return true;
  const inner = Array.isArray(value) ? value : isAmfObject(value) ? Object.values(value) : [];
  return inner.some(holdsBytes);
}

const handshake: FuzzTarget = {
  seeds: HANDSHAKES,
  rounds: 200,
  decode: (input, random) =>
    cutsChangeNothing(input, random, (pieces) => {
      const written: Uint8Array[] = [];
      const shake = new ServerHandshake(counting(1));
      let taken = 0;
      const end = endOf(() => {
        for (const piece of pieces) {
          const step = shake.push(piece);
          taken += step.taken;
          if (step.reply !== undefined) written.push(step.reply);
        }
      });
      const output = latin(Buffer.concat(written));
      if (taken > HANDSHAKE_BYTES || output.length > HANDSHAKE_BYTES || shake.done !== (taken === HANDSHAKE_BYTES))
        throw new Error(`${taken} taken, ${output.length} written, done: ${shake.done}`);
      return `${end} ${taken} ${shake.usedDigest} ${output}`;
    }),
};

const clientHandshake: FuzzTarget = {
  seeds: [
    [Uint8Array.of(3), new Uint8Array(1536).fill(3), new Uint8Array(1536)],
    [(serverWrites()[0] as Uint8Array).subarray(0, 1), (serverWrites()[0] as Uint8Array).subarray(1)],
  ],
  rounds: 250,
  decode: (input, random) =>
    cutsChangeNothing(input, random, (pieces) => {
      const shake = new ClientHandshake(counting(1), 1);
      const written = [shake.start().slice()];
      let taken = 0;
      const end = endOf(() => {
        for (const piece of pieces) {
          const step = shake.push(piece);
          taken += step.taken;
          if (step.reply !== undefined) written.push(step.reply.slice());
        }
      });
      if (taken > HANDSHAKE_BYTES) throw new Error(`${taken} taken`);
      return `${end} ${taken} ${shake.done} ${shake.serverVerified} ${latin(Buffer.concat(written))}`;
    }),
};

const chunks: FuzzTarget = {
  seeds: CHUNKS,
  rounds: 400,
  decode: (input, random) =>
    decodesAlike(
      (messages) => {
        const decoder = new ChunkDecoder(messages, SMALL_LIMITS);
        return {
          push: (bytes) => {
            decoder.push(bytes);
            if (decoder.heldBytes > SMALL_LIMITS.unfinishedBytesBeforePublish)
              throw new Error(`holds ${decoder.heldBytes}`);
          },
        };
      },
      input,
      random,
    ),
};

const amf0: FuzzTarget = {
  seeds: AMF0,
  decode: (input) => {
    const values = decodeAmf0(input, DEFAULT_AMF_LIMITS);
    checkAmf(values);
    // A body may hold byte arrays through AMF3, and invalid UTF-8 grows beyond the bound when written.
    const writable = values.filter((value) => !JSON.stringify([value]).includes('\ufffd') && !holdsBytes(value));
    const again = decodeAmf0(encodeAmf0(...writable), { ...DEFAULT_AMF_LIMITS, entries: 4096 });
    if (JSON.stringify(again) !== JSON.stringify(writable)) throw new Error('does not round-trip');
  },
};

const amf3: FuzzTarget = { seeds: AMF3, decode: (input) => checkAmf([decodeAmf3(input)]) };

/** Answers in proportion, valid states, and one unpublish for each publish, however the bytes are split. */
const session: FuzzTarget = {
  seeds: SESSIONS,
  rounds: 250,
  decode: (input, random) => {
    let met = false;
    const run = (pieces: Iterable<Uint8Array>): string => {
      const server = new ServerPeer(undefined, SMALL_LIMITS);
      const end = endOf(() => {
        for (const piece of pieces) server.session.push(piece);
      });
      met ||= JUDGED_PER_BUFFER.test(end);
      const written = server.writes.reduce((sum, bytes) => sum + bytes.length, 0);
      if (written > HANDSHAKE_BYTES + 1000 + input.length * 12) throw new Error(`${written} bytes for ${input.length}`);
      const { state } = server.session;
      if (!(state in SESSION_TABLE)) throw new Error(`state ${state}`);
      const open = server.publishes.length - server.unpublishes.length;
      if (open !== (state === 'publishing' ? 1 : 0)) throw new Error(`${open} open, ${state}, ${end}`);
      const { connects, publishes, video, audio, data, unpublishes, faults } = server;
      const media = [...video, ...audio].map(messageText);
      return met ? '' : JSON.stringify([end, state, connects, publishes, media, data, unpublishes, faults]);
    };
    try {
      cutsChangeNothing(input, random, run);
    } catch (error) {
      if (!met || !(error instanceof Error) || !error.message.includes('in place of')) throw error;
    }
  },
};

const clientSession: FuzzTarget = {
  seeds: [serverWrites()],
  rounds: 200,
  decode: (input, random) =>
    cutsChangeNothing(input, random, (pieces) => {
      const client = new ClientPeer();
      client.session.start();
      const end = endOf(() => {
        for (const piece of pieces) client.session.push(piece);
      });
      const { statuses, received } = client;
      return JSON.stringify([end, client.session.state, statuses, client.session.refusal, received.map(messageText)]);
    }),
};

export const RTMP_TARGETS = {
  handshake,
  'client-handshake': clientHandshake,
  chunks,
  amf0,
  amf3,
  session,
  'client-session': clientSession,
} satisfies Record<string, FuzzTarget>;
