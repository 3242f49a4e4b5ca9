/** One connection of a case: sends bytes and messages, and waits for what must come. */

import { type AmfObject, type AmfValue, amfObject, isAmfObject } from '../rtmp/amf/amf-value.js';
import { EcmaArray, encodeAmf0 } from '../rtmp/amf/amf0-encoder.js';
import { ChunkDecoder } from '../rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../rtmp/chunks/encoder.js';
import { HANDSHAKE_BYTES } from '../rtmp/handshake/digest.js';
import { DEFAULT_RTMP_LIMITS } from '../rtmp/limits.js';
import { type Command, readCommand } from '../rtmp/messages/command.js';
import { u32Body, userControlBody } from '../rtmp/messages/control.js';
import type { RtmpMessage } from '../rtmp/messages/message.js';
import { CHUNK_STREAM, MESSAGE_TYPE, USER_CONTROL } from '../rtmp/protocol.js';
import { AAC_FRAME, AAC_HEADER, AVC_HEADER, INTER_FRAME, KEY_FRAME } from './media.js';
import type { Line } from './peer.js';
import { Unmet } from './verdicts.js';

/** A message of the peer. */
export interface Heard {
  readonly typeId: number;
  readonly messageStreamId: number;
  readonly chunkStreamId: number;
  readonly payload: Uint8Array;
  /** Undefined in other messages. */
  readonly command: Command | undefined;
  /** Members of its first object argument: of onStatus and `_error` the information object. */
  readonly info: Readonly<AmfObject>;
}

/** Where a case notes what it sent, expected and got. */
export interface Notes {
  readonly sent: string[];
  readonly expected: string[];
  readonly came: string[];
}

export interface Placed {
  readonly stream?: number;
  readonly chunkStream?: number;
  readonly timeMs?: number;
}

const S0_S1_S2_BYTES = 1 + 2 * HANDSHAKE_BYTES;
/** First transaction ID of the questions that prove that a connection is served; no case uses it itself. */
const FIRST_QUESTION = 500;
/** A peer that has lost the thread waits for more: its silence is looked at for this long. */
const SILENCE_MS = 500;
/** Chunk stream of media, as in OBS. */
const MEDIA_CHUNK_STREAM = 4;

export class Dialogue {
  readonly line: Line;
  /** Message stream of the publish. */
  streamId = 1;
  readonly encoder = new ChunkEncoder();
  readonly heard: Heard[] = [];
  /** S0, S1 and S2 as far as they have come. */
  readonly handshake: Uint8Array = new Uint8Array(S0_S1_S2_BYTES);
  handshakeBytes = 0;
  readonly #notes: Notes;
  readonly #timeoutMs: number;
  readonly #count: (bytes: number) => void;
  readonly #decoder: ChunkDecoder;
  #question = FIRST_QUESTION;

  constructor(line: Line, notes: Notes, timeoutMs: number, count: (bytes: number) => void) {
    this.line = line;
    this.#notes = notes;
    this.#timeoutMs = timeoutMs;
    this.#count = count;
    this.#decoder = new ChunkDecoder(
      { takeMessage: (message) => void this.heard.push(heardOf(message)) },
      DEFAULT_RTMP_LIMITS,
    );
    this.#decoder.raiseLimits();
  }

  // ---------------------------------------------------------------- sends

  /** Sends bytes as they are. `text` says what they are. */
  async raw(text: string, ...parts: readonly (Uint8Array | readonly number[])[]): Promise<void> {
    const bytes = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
    this.#notes.sent.push(text);
    await this.#send(bytes);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    this.#count(bytes.length);
    await this.line.send(bytes);
  }

  async message(text: string, typeId: number, body: Uint8Array, placed: Placed = {}): Promise<void> {
    const { stream = 0, chunkStream = MEDIA_CHUNK_STREAM, timeMs = 0 } = placed;
    this.#notes.sent.push(text);
    await this.#send(this.encoder.encode(chunkStream, typeId, stream, timeMs, body));
  }

  /** A command on a message stream, on the chunk stream of connections. */
  command(stream: number, name: string, transactionId: number, ...values: readonly AmfValue[]): Promise<void> {
    const shown = values.filter((value) => typeof value === 'string' && !/-/.test(value));
    const text = `${name}${shown.length === 0 ? '' : ` "${shown.join('", "')}"`} (${transactionId}) on stream ${stream}`;
    const body = encodeAmf0(name, transactionId, ...values);
    return this.message(text, MESSAGE_TYPE.commandAmf0, body, { stream, chunkStream: CHUNK_STREAM.connection });
  }

  /** A command whose body is given. */
  commandBody(text: string, body: Uint8Array, stream = 0, typeId: number = MESSAGE_TYPE.commandAmf0): Promise<void> {
    return this.message(text, typeId, body, { stream, chunkStream: CHUNK_STREAM.connection });
  }

  control(text: string, typeId: number, body: Uint8Array): Promise<void> {
    return this.message(text, typeId, body, { chunkStream: CHUNK_STREAM.control });
  }

  /** Announces the size and uses it from then on. */
  async chunkSize(size: number): Promise<void> {
    await this.control(`Set Chunk Size ${size}`, MESSAGE_TYPE.setChunkSize, u32Body(size));
    this.encoder.setChunkSize(size);
  }

  video(body: Uint8Array, timeMs: number, text = `video of ${body.length} bytes at ${timeMs} ms`): Promise<void> {
    return this.message(text, MESSAGE_TYPE.video, body, { stream: this.streamId, timeMs });
  }

  audio(body: Uint8Array, timeMs: number, text = `audio of ${body.length} bytes at ${timeMs} ms`): Promise<void> {
    return this.message(text, MESSAGE_TYPE.audio, body, { stream: this.streamId, timeMs });
  }

  metadata(members: Readonly<AmfObject> = amfObject({ width: 640, height: 360, videocodecid: 7, audiocodecid: 10 })) {
    const body = encodeAmf0('@setDataFrame', 'onMetaData', new EcmaArray(members));
    return this.message('onMetaData', MESSAGE_TYPE.dataAmf0, body, { stream: this.streamId });
  }

  /** Metadata, both sequence headers, and frames of both tracks from `fromMs` on. */
  async media(frames = 3, fromMs = 0): Promise<void> {
    await this.metadata();
    await this.video(AVC_HEADER, fromMs, 'H.264 sequence header');
    await this.audio(AAC_HEADER, fromMs, 'AAC sequence header');
    for (let frame = 0; frame < frames; frame++) {
      await this.video(frame === 0 ? KEY_FRAME : INTER_FRAME, fromMs + 40 * frame, 'video frame');
      await this.audio(AAC_FRAME, fromMs + 40 * frame, 'audio frame');
    }
  }

  // ---------------------------------------------------------------- waits

  /** Waits until `find` finds something; undefined when the time is over, or the connection closed. */
  async until<T>(find: () => T | undefined, withinMs = this.#timeoutMs): Promise<T | undefined> {
    const endMs = performance.now() + withinMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      const bytes = await this.line.receive(Math.max(0, endMs - performance.now()));
      if (bytes === undefined) return find();
      this.#take(bytes);
    }
  }

  /** Requires that `find` finds something within the time. @throws Unmet */
  async expect<T>(what: string, find: () => T | undefined, withinMs = this.#timeoutMs): Promise<T> {
    this.#notes.expected.push(what);
    const before = this.heard.length;
    const found = await this.until(find, withinMs);
    if (found === undefined) throw new Unmet(what, this.#since(before, withinMs));
    const shown = this.heard.find((message) => message === found);
    this.#notes.came.push(shown === undefined ? 'as expected' : shownMessage(shown));
    return found;
  }

  /** S0, S1 and S2. @throws Unmet */
  async expectHandshake(withinMs = this.#timeoutMs): Promise<{ s1: Uint8Array; s2: Uint8Array }> {
    await this.expect('S0, S1 and S2', () => (this.handshakeBytes === S0_S1_S2_BYTES ? true : undefined), withinMs);
    return { s1: this.handshake.subarray(1, 1 + HANDSHAKE_BYTES), s2: this.handshake.subarray(1 + HANDSHAKE_BYTES) };
  }

  /** `_result` or `_error` of a call. @throws Unmet */
  expectAnswer(transactionId: number, name: '_result' | '_error' | 'any' = '_result'): Promise<Heard> {
    const what = `${name === 'any' ? 'an answer' : name} to call ${transactionId}`;
    return this.expect(what, () => this.answer(transactionId, name));
  }

  answer(transactionId: number, name: '_result' | '_error' | 'any' = 'any'): Heard | undefined {
    return this.heard.find(
      ({ command }) =>
        command?.transactionId === transactionId &&
        (name === 'any' ? command.name === '_result' || command.name === '_error' : command.name === name),
    );
  }

  /** An onStatus that arrived after message `from`. @throws Unmet */
  expectStatus(code: string, from = 0): Promise<Heard> {
    return this.expect(`onStatus ${code}`, () => this.statuses(from).find(({ info }) => info.code === code));
  }

  statuses(from = 0): Heard[] {
    return this.heard.slice(from).filter(({ command }) => command?.name === 'onStatus');
  }

  /** The connection goes on: another call is answered, which also proves that everything before it was read. @throws Unmet */
  async expectServed(what = 'the connection goes on: createStream is answered'): Promise<void> {
    const transactionId = this.#question++;
    await this.command(0, 'createStream', transactionId, null);
    await this.expect(what, () => this.answer(transactionId));
  }

  /** @throws Unmet */
  async expectPong(value: number): Promise<void> {
    await this.control(
      `ping request ${value}`,
      MESSAGE_TYPE.userControl,
      userControlBody(USER_CONTROL.pingRequest, value),
    );
    await this.expect(`ping response ${value}`, () =>
      this.heard.find(({ typeId, payload }) => typeId === MESSAGE_TYPE.userControl && pongOf(payload) === value),
    );
  }

  /** @throws Unmet */
  async expectClosed(withinMs = this.#timeoutMs): Promise<void> {
    const what = `the peer closes the connection within ${withinMs / 1000} s`;
    this.#notes.expected.push(what);
    if (await this.closes(withinMs)) this.#notes.came.push('closed');
    else throw new Unmet(what, this.#since(this.heard.length, withinMs));
  }

  async closes(withinMs = this.#timeoutMs): Promise<boolean> {
    await this.until(() => (this.line.isClosed ? true : undefined), withinMs);
    return this.line.isClosed;
  }

  /** The peer either closes the connection, or ignores what it got and answers the next call. @throws Unmet */
  async expectSettled(withinMs = this.#timeoutMs): Promise<'closed' | 'served'> {
    const transactionId = this.#question++;
    const what = 'the peer closes the connection, or goes on and answers createStream';
    await this.command(0, 'createStream', transactionId, null);
    this.#notes.expected.push(what);
    const before = this.heard.length;
    await this.until(() => this.answer(transactionId) ?? (this.line.isClosed ? true : undefined), withinMs);
    const served = this.answer(transactionId) !== undefined;
    if (!served && !this.line.isClosed) throw new Unmet(what, this.#since(before, withinMs));
    this.#notes.came.push(served ? 'answered' : 'closed');
    return served ? 'served' : 'closed';
  }

  /**
   * Looks at what becomes of the connection after bytes that no peer can read in order. Closed, served and silent are all right:
   * the publish that follows the case decides.
   */
  async seeEnd(withinMs = SILENCE_MS): Promise<void> {
    const transactionId = this.#question++;
    this.#notes.expected.push('other connections go on');
    await this.command(0, 'createStream', transactionId, null);
    await this.until(() => this.answer(transactionId) ?? (this.line.isClosed ? true : undefined), withinMs);
    const end = this.line.isClosed ? 'closed' : this.answer(transactionId) === undefined ? 'no answer' : 'answered';
    this.#notes.came.push(`${end}, and the peer still serves`);
  }

  #take(bytes: Uint8Array): void {
    const room = S0_S1_S2_BYTES - this.handshakeBytes;
    const head = bytes.subarray(0, room);
    this.handshake.set(head, this.handshakeBytes);
    this.handshakeBytes += head.length;
    try {
      if (bytes.length > room) this.#decoder.push(bytes.slice(room));
    } catch (error) {
      throw new Unmet('messages that can be read', `${error instanceof Error ? error.message : error}`);
    }
  }

  #since(from: number, withinMs: number): string {
    const messages = this.heard.slice(from).slice(0, 8).map(shownMessage);
    const end = this.line.isClosed
      ? 'the connection was closed'
      : `nothing${messages.length > 0 ? ' more' : ''} in ${withinMs / 1000} s`;
    return [...messages, end].join(', ');
  }
}

function heardOf(message: RtmpMessage): Heard {
  const { typeId, messageStreamId, chunkStreamId } = message;
  const payload = message.payload.copy(0, message.payload.length);
  const isCommand = typeId === MESSAGE_TYPE.commandAmf0 || typeId === MESSAGE_TYPE.commandAmf3;
  const command =
    isCommand && payload.length > 0 ? readCommand(typeId, message.payload, DEFAULT_RTMP_LIMITS.amf) : undefined;
  const info = command?.args.find(isAmfObject) ?? amfObject();
  return { typeId, messageStreamId, chunkStreamId, payload, command, info };
}

const ENHANCED_MEMBERS = ['capsEx', 'fourCcList', 'videoFourCcInfoMap', 'audioFourCcInfoMap'];

/** The object in the answer to connect that says what the peer reads of Enhanced RTMP; undefined without one. */
export function enhancedOffer(answer: Heard | undefined): Readonly<AmfObject> | undefined {
  const { object, args = [] } = answer?.command ?? {};
  return [object, ...args].filter(isAmfObject).find((value) => ENHANCED_MEMBERS.some((name) => name in value));
}

function pongOf(payload: Uint8Array): number | undefined {
  const view = new DataView(payload.buffer, payload.byteOffset, payload.length);
  return payload.length >= 6 && view.getUint16(0) === USER_CONTROL.pingResponse ? view.getUint32(2) : undefined;
}

/** `onStatus NetStream.Publish.Start on stream 1`. */
export function shownMessage({ typeId, messageStreamId, payload, command, info }: Heard): string {
  if (command === undefined) return `message of type ${typeId} (${payload.length} bytes)`;
  const { name, transactionId } = command;
  const what = name === 'onStatus' || name === '_error' ? ` ${String(info.code ?? '')}` : '';
  return `${name}${what} (${transactionId}) on stream ${messageStreamId}`;
}
