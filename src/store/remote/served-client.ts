/** One client of the store process: its calls, its subscriptions and its send buffer. */
import type { Socket } from 'node:net';
import type { Lease, Log } from '../../ports/index.js';
import type { LmdbStore } from '../lmdb/lmdb-store.js';
import { PROTOCOL, type Served, servedCalls } from './calls.js';
import { faultOf } from './faults.js';
import { FRAME, type Frame, FrameError, FrameReader, jsonFrame, readEvent, TurnWriter } from './frames.js';
import { REMOTE_LIMITS } from './limits.js';

export interface ServedClientOptions {
  readonly socket: Socket;
  readonly store: LmdbStore;
  readonly log: Log;
  /** Forwards the frame to the other subscribers of the topic. */
  readonly publish: (topic: string, payload: Frame) => void;
}

export class ServedClient {
  readonly #socket: Socket;
  readonly #writer: TurnWriter;
  readonly #log: Log;
  readonly #publish: ServedClientOptions['publish'];
  readonly #topics = new Set<string>();
  readonly #calls: Served;
  readonly #frames = new FrameReader();
  #underWay = 0;

  constructor({ socket, store, log, publish }: ServedClientOptions) {
    this.#socket = socket;
    this.#writer = new TurnWriter(socket);
    this.#log = log;
    this.#publish = publish;
    const held = new Map<string, Lease>();
    this.#calls = servedCalls(store, this.#topics, held);
    // A process that ended holds nothing any more: its encoders return at once. One that only lost its connection reclaims.
    socket.once('close', () => {
      for (const lease of held.values())
        store.leases.release(lease).catch((error: unknown) => log.warn({ error }, 'a lease was not released'));
    });
    socket.on('data', (chunk: Buffer) => this.#received(chunk));
    socket.on('error', () => socket.destroy());
    this.send(jsonFrame(FRAME.hello, { protocol: PROTOCOL }));
  }

  hears(topic: string): boolean {
    return this.#topics.has(topic);
  }

  send(frame: Buffer): void {
    const socket = this.#socket;
    if (socket.destroyed) return;
    if (socket.writableLength > REMOTE_LIMITS.waitingBytes) {
      this.#log.warn(
        { waitingBytes: socket.writableLength },
        'dropped a client of the store process that does not read',
      );
      socket.destroy();
      return;
    }
    this.#writer.write(frame);
  }

  #received(chunk: Buffer): void {
    try {
      for (const frame of this.#frames.push(chunk)) this.#take(frame);
    } catch (error) {
      this.#log.warn({ error }, 'dropped a client of the store process that violated the protocol');
      this.#socket.destroy();
    }
  }

  #take(frame: Frame): void {
    if (frame.kind === FRAME.event) {
      this.#publish(readEvent(frame.payload).topic, frame);
      return;
    }
    if (frame.kind !== FRAME.call) throw new FrameError(`a frame of kind ${frame.kind}`);
    const { id, name, args } = readCall(frame.payload);
    this.#underWay += 1;
    if (this.#underWay >= REMOTE_LIMITS.callsUnderWay) this.#socket.pause();
    this.#answer(id, this.#run(name, args));
  }

  /** @throws errors of the store; RangeError for an unknown call */
  async #run(name: string, args: never[]): Promise<unknown> {
    if (!isCall(this.#calls, name)) throw new RangeError('unknown call of the store process');
    return this.#calls[name](...args);
  }

  #answer(id: number, result: Promise<unknown>): void {
    result
      .then((value) => jsonFrame(FRAME.answer, value === undefined ? [id] : [id, value]))
      .catch((error: unknown) => jsonFrame(FRAME.failure, [id, faultOf(error)]))
      .then((frame) => {
        this.#underWay -= 1;
        if (this.#underWay < REMOTE_LIMITS.callsUnderWay && this.#socket.isPaused()) this.#socket.resume();
        this.send(frame);
      });
  }
}

function isCall(calls: Served, name: string): name is keyof Served {
  return Object.hasOwn(calls, name);
}

/** @throws FrameError */
function readCall(payload: Buffer): { readonly id: number; readonly name: string; readonly args: never[] } {
  let call: readonly [number, string, never[]];
  try {
    call = JSON.parse(payload.toString());
  } catch (cause) {
    throw new FrameError('malformed call: not JSON', { cause });
  }
  if (!Array.isArray(call)) throw new FrameError('malformed call: not an array');
  const [id, name, args] = call;
  if (typeof id !== 'number' || typeof name !== 'string' || !Array.isArray(args)) {
    throw new FrameError('malformed call: id, name or arguments missing');
  }
  return { id, name, args };
}
