/** The publisher's side of an RTMP connection, with the status messages of the server. */
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
  /** Shows each onStatus of the server as it comes. */
  readonly showStatus?: (status: ClientStatus) => void;
}

const BARRIER_TRANSACTION = 1000;
/** One write in the kernel and one queued behind it. */
const MAX_PENDING_WRITES = 2;
const MESSAGE_TYPES = { audio: MESSAGE_TYPE.audio, video: MESSAGE_TYPE.video, data: MESSAGE_TYPE.dataAmf0 } as const;

export class Encoder {
  readonly #socket: Socket;
  readonly #session: ClientSession;
  readonly #writes: GatheredWrites;
  #wake: () => void = () => undefined;
  #barrierPassed = false;
  #fault: Error | undefined;
  #stops = 0;
  closed = false;
  /** Each onStatus of the server so far. */
  readonly statuses: ClientStatus[] = [];

  private constructor(socket: Socket, options: EncoderOptions) {
    this.#socket = socket;
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
        send: (bytes) => this.#writes.write(bytes),
        takeStatus: (status) => {
          this.statuses.push(status);
          options.showStatus?.(status);
        },
        takeMessage: (message) => this.#passBarrier(message),
      },
    });
    const onStop = () => this.#cancelWait();
    options.stop?.addEventListener('abort', onStop, { once: true });
    socket.once('close', () => options.stop?.removeEventListener('abort', onStop));
    socket.setNoDelay(true);
    socket.on('data', (bytes: Buffer) => this.#push(bytes));
    socket.on('error', (error) => this.#end(error));
    socket.on('close', () => this.#end());
  }

  /** Connects and publishes; resolves when the server accepted or refused. @throws CliError when it cannot be reached */
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
    const reason = encoder.#fault?.message ?? (encoder.closed ? 'connection closed' : 'timed out');
    throw new CliError(`${options.target.tcUrl} did not answer the publish request: ${reason}`, EXIT.unreachable);
  }

  get isPublishing(): boolean {
    return this.#session.state === 'publishing';
  }

  get refusal(): ClientStatus | undefined {
    return this.#session.refusal;
  }

  get bytesSent(): number {
    return this.#session.bytesSent;
  }

  /** Buffers a message; written when the buffer is full, or by `flush`. */
  send(kind: 'audio' | 'video' | 'data', timeMs: number, payload: SliceList): void {
    if (this.closed) return;
    const session = this.#session;
    const room = this.#writes.room(session.maxEncodedBytes(payload.length));
    if (room === undefined) session.send(MESSAGE_TYPES[kind], timeMs, payload);
    else this.#writes.used = session.sendInto(room, this.#writes.used, MESSAGE_TYPES[kind], timeMs, payload);
  }

  flush(): void {
    if (!this.closed) this.#writes.flush();
  }

  /** Backpressure: the socket has not accepted the pending writes. */
  get mustWait(): boolean {
    return this.#writes.pending >= MAX_PENDING_WRITES && !this.closed;
  }

  /** Resolves when at most `maxPending` writes are pending. */
  async drained(maxPending = 0): Promise<void> {
    if (maxPending === 0) this.flush();
    await this.#until(() => this.#writes.pending <= maxPending || this.closed);
  }

  /** Resolves after `forMs`, or when the connection is closed. */
  async pause(forMs: number): Promise<void> {
    await this.#until(() => this.closed, forMs);
  }

  /**
   * Resolves when the server has processed everything sent so far: commands are answered in order, so this sends one more
   * command and awaits its answer, then waits until nothing has been received for `quietMs`.
   */
  async settled(timeoutMs: number, quietMs: number): Promise<void> {
    if (this.closed) return;
    this.flush();
    this.#session.sendCommand(0, 'createStream', BARRIER_TRANSACTION, null);
    await this.#until(() => this.#barrierPassed || this.closed, timeoutMs);
    const endMs = performance.now() + timeoutMs;
    for (let more = true; more && !this.closed && performance.now() < endMs; ) more = await this.#receivesMore(quietMs);
  }

  /** Unpublishes and closes, like an encoder that is stopped. */
  async close(timeoutMs: number): Promise<void> {
    this.flush();
    this.#session.close();
    this.#socket.end();
    await this.#until(() => this.closed, timeoutMs);
    this.drop();
  }

  /** Closes the socket without unpublishing, like an encoder whose network fails. */
  drop(): void {
    this.#socket.destroy();
  }

  #push(bytes: Buffer): void {
    try {
      this.#session.push(bytes);
      this.#wake();
    } catch (error) {
      this.#socket.destroy(new Error(messageOf(error), { cause: error }));
    }
  }

  #passBarrier(message: RtmpMessage): void {
    if (message.typeId !== MESSAGE_TYPE.commandAmf0 || this.#barrierPassed) return;
    const { transactionId } = readCommand(message.typeId, message.payload, DEFAULT_AMF_LIMITS);
    if (transactionId !== BARRIER_TRANSACTION) return;
    this.#barrierPassed = true;
  }

  #end(error?: Error): void {
    this.#fault ??= error;
    this.closed = true;
    this.#wake();
  }

  /** Whether any byte is received within the time. */
  async #receivesMore(withinMs: number): Promise<boolean> {
    const before = this.#socket.bytesRead;
    await this.#until(() => this.#socket.bytesRead !== before || this.closed, withinMs);
    return this.#socket.bytesRead !== before;
  }

  /** Ends the current wait; later waits are not affected. */
  #cancelWait(): void {
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
