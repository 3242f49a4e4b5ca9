/** An encoder's connection: the publisher's side of RTMP over a socket, and what the server says to it. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import type { SliceList } from '../../bytes/slices.js';
import { defined } from '../../lib/objects.js';
import { DEFAULT_AMF_LIMITS } from '../../rtmp/limits.js';
import { readCommand } from '../../rtmp/messages/command.js';
import type { RtmpMessage } from '../../rtmp/messages/message.js';
import { MESSAGE_TYPE } from '../../rtmp/protocol.js';
import { ClientSession, type ClientStatus } from '../../rtmp/session/client-session.js';
import { CliError, EXIT, messageOf } from '../console/exit.js';
import { type ConnectOptions, OPEN_TIMEOUT_MS, openSocket } from './connect.js';
import { GatheredWrites } from './gathered-writes.js';

export interface EncoderOptions extends ConnectOptions {
  readonly key: string;
  readonly chunkSize?: number;
  readonly chunkStreamId?: number;
  readonly timestampOffsetMs?: number;
  readonly onStatus: (status: ClientStatus) => void;
}

const BARRIER_TRANSACTION = 1000;
/** One that the system is taking, and one that is ready then. */
const WRITES_AT_ONCE = 2;
const MESSAGE_TYPES = { audio: MESSAGE_TYPE.audio, video: MESSAGE_TYPE.video, data: MESSAGE_TYPE.dataAmf0 } as const;

export class Encoder {
  readonly #socket: Socket;
  readonly #session: ClientSession;
  readonly #onStatus: (status: ClientStatus) => void;
  readonly #writes: GatheredWrites;
  #wake: () => void = () => undefined;
  #barrierPassed = false;
  #fault: Error | undefined;
  #stops = 0;
  closed = false;
  refusal: ClientStatus | undefined;

  private constructor(socket: Socket, options: EncoderOptions) {
    this.#socket = socket;
    this.#onStatus = options.onStatus;
    this.#writes = new GatheredWrites(socket, () => this.#wake());
    this.#session = new ClientSession({
      app: options.target.app,
      tcUrl: options.target.tcUrl,
      name: options.key,
      randomBytes: (count) => randomBytes(count),
      ...defined({
        chunkSize: options.chunkSize,
        mediaChunkStreamId: options.chunkStreamId,
        timestampOffsetMs: options.timestampOffsetMs,
      }),
      sink: {
        onOutput: (bytes) => this.#writes.write(bytes),
        onPublishing: () => this.#wake(),
        onRefused: (info) => {
          this.refusal = info;
          this.#wake();
        },
        onStatus: (info) => {
          this.#onStatus(info);
          this.#wake();
        },
        onMessage: (message) => this.#onMessage(message),
      },
    });
    const onStop = () => this.#stopWaiting();
    options.stop?.addEventListener('abort', onStop, { once: true });
    socket.once('close', () => options.stop?.removeEventListener('abort', onStop));
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#push(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end());
  }

  /** Connects and asks to publish; resolves when the server has said yes or no. @throws CliError when it cannot be reached */
  static async open(options: EncoderOptions): Promise<Encoder> {
    const socket = await openSocket(options);
    const encoder = new Encoder(socket, options);
    encoder.#session.start();
    await encoder.#until(
      () => encoder.isPublishing || encoder.refusal !== undefined || encoder.closed,
      OPEN_TIMEOUT_MS,
    );
    if (encoder.isPublishing || encoder.refusal !== undefined) return encoder;
    encoder.drop();
    const reason = encoder.#fault?.message ?? (encoder.closed ? 'it closed the connection' : 'it did not answer');
    throw new CliError(`${options.target.tcUrl}: no RTMP server accepted the publish: ${reason}`, EXIT.unreachable);
  }

  get isPublishing(): boolean {
    return this.#session.state === 'publishing';
  }

  get bytesSent(): number {
    return this.#session.bytesSent;
  }

  /** Gathers what is sent: it goes out when there is enough of it, or at `flush`. */
  send(kind: 'audio' | 'video' | 'data', timeMs: number, payload: SliceList): void {
    if (this.closed) return;
    const session = this.#session;
    const room = this.#writes.room(session.mostBytes(payload.length));
    if (room === undefined) session.send(MESSAGE_TYPES[kind], timeMs, payload);
    else this.#writes.used = session.sendInto(room, this.#writes.used, MESSAGE_TYPES[kind], timeMs, payload);
  }

  flush(): void {
    if (!this.closed) this.#writes.flush();
  }

  /** The system has not taken what was written: more would only grow in memory. */
  get mustWait(): boolean {
    return this.#writes.waiting >= WRITES_AT_ONCE && !this.closed;
  }

  /** Resolves when the system has taken all that was sent, or all but so many writes. */
  async drained(butWrites = 0): Promise<void> {
    if (butWrites === 0) this.flush();
    await this.#until(() => this.#writes.waiting <= butWrites || this.closed);
  }

  /** Resolves after so long, or when the connection is closed. */
  async pause(forMs: number): Promise<void> {
    await this.#until(() => this.closed, forMs);
  }

  /**
   * Resolves when the server has worked through everything sent so far: it answers commands in order, so one more command is
   * sent, and its answer waited for; then until nothing more has been said for `quietMs`.
   */
  async settled(timeoutMs: number, quietMs: number): Promise<void> {
    if (this.closed) return;
    this.flush();
    this.#session.sendCommand(0, 'createStream', BARRIER_TRANSACTION, null);
    await this.#until(() => this.#barrierPassed || this.closed, timeoutMs);
    const endMs = performance.now() + timeoutMs;
    for (let said = true; said && !this.closed && performance.now() < endMs; ) said = await this.#saysMore(quietMs);
  }

  /** Unpublishes and closes, as an encoder does that is stopped. */
  async close(timeoutMs: number): Promise<void> {
    this.flush();
    this.#session.close();
    this.#socket.end();
    await this.#until(() => this.closed, timeoutMs);
    this.drop();
  }

  /** Goes without a word, as an encoder does whose network fails. */
  drop(): void {
    this.#socket.destroy();
  }

  #push(bytes: Buffer): void {
    try {
      this.#session.push(bytes);
    } catch (error) {
      this.#socket.destroy(new Error(messageOf(error), { cause: error }));
    }
  }

  #onMessage(message: RtmpMessage): void {
    if (message.typeId !== MESSAGE_TYPE.commandAmf0 || this.#barrierPassed) return;
    const { transactionId } = readCommand(message.typeId, message.payload, DEFAULT_AMF_LIMITS);
    if (transactionId !== BARRIER_TRANSACTION) return;
    this.#barrierPassed = true;
    this.#wake();
  }

  #end(error?: Error): void {
    this.#fault ??= error;
    this.closed = true;
    this.#wake();
  }

  /** Whether anything came in within the time. */
  async #saysMore(withinMs: number): Promise<boolean> {
    const before = this.#socket.bytesRead;
    await this.#until(() => this.#socket.bytesRead !== before || this.closed, withinMs);
    return this.#socket.bytesRead !== before;
  }

  /** Ends what is being waited for, and not what is waited for afterwards. */
  #stopWaiting(): void {
    this.#stops++;
    this.#wake();
  }

  async #until(holds: () => boolean, timeoutMs?: number): Promise<void> {
    const endMs = timeoutMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
    const stopsBefore = this.#stops;
    while (!holds() && this.#stops === stopsBefore && performance.now() < endMs) {
      await new Promise<void>((resolve) => {
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, Math.max(1, endMs - performance.now()));
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
}
