/** A byte-level encoder over TLS, for what ffmpeg cannot be made to send. Uses the sans-IO client session. */

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type TLSSocket } from 'node:tls';
import { ClientSession, type ClientStatus } from '../../src/rtmp/session/client-session.js';
import type { Airlock } from './airlock.js';
import { sayWhenLong, shown } from './long-wait.js';
import type { SynthMessage } from './synth-stream.js';

export interface Way {
  /** Bytes before the TLS hello, as a proxy writes them. */
  readonly preface?: Uint8Array;
  /** The address that it comes from, of this machine. */
  readonly from?: string;
  /** Another port than the server's own, of a balancer for example. */
  readonly port?: number;
  /** More members of the connect object. */
  readonly connectProperties?: Readonly<Record<string, number>>;
  /** Whom it trusts; the server's own authority unless another is given. */
  readonly authorityFile?: string;
  /** The server's address; this machine unless another is given. */
  readonly host?: string;
  /** Milliseconds that it waits for the end of the TLS handshake, and then for the answer to the publish. */
  readonly patience?: { readonly handshakeMs: number; readonly answerMs: number };
}

export class Publisher {
  readonly statuses: ClientStatus[] = [];
  readonly #socket: TLSSocket;
  readonly #session: ClientSession;
  #wake: () => void = () => undefined;
  closed = false;

  private constructor(socket: TLSSocket, session: ClientSession) {
    this.#socket = socket;
    this.#session = session;
  }

  /** Connects and publishes; resolves with the first answer to the publish, whatever it is. */
  static async open(airlock: Airlock, key: string, app = 'live', way: Way = {}): Promise<Publisher> {
    const opened = await Publisher.connectOnly(airlock, key, app, way);
    const timer = way.patience && setTimeout(() => opened.cut(), way.patience.answerMs);
    await opened.until(() => opened.statuses.length > 0 || opened.closed);
    clearTimeout(timer);
    return opened;
  }

  /** The same without waiting for any answer. */
  static async connectOnly(airlock: Airlock, key: string, app = 'live', way: Way = {}): Promise<Publisher> {
    const beneath = connectTcp({
      port: way.port ?? airlock.quickstart.rtmps_port,
      host: way.host ?? '127.0.0.1',
      ...(way.from === undefined ? {} : { localAddress: way.from }),
    });
    if (way.preface !== undefined) beneath.write(way.preface);
    const socket = connect({
      socket: beneath,
      servername: 'localhost',
      ca: readFileSync(way.authorityFile ?? airlock.authorityFile),
    });
    // Beside the one that waits for the handshake: either socket may report the same fault again.
    socket.on('error', () => undefined);
    beneath.on('error', (error) => socket.destroy(error));
    await handshake(socket, way.patience?.handshakeMs);
    let publisher: Publisher | undefined;
    const session = new ClientSession({
      app,
      name: key,
      tcUrl: `rtmps://localhost:${airlock.quickstart.rtmps_port}/${app}`,
      flashVer: 'FMLE/3.0 (compatible; AirlockTest/1.0)',
      ...(way.connectProperties === undefined ? {} : { connectProperties: way.connectProperties }),
      randomBytes: (size) => randomBytes(size),
      sink: {
        send: (bytes) => void socket.write(bytes),
        takeStatus: (info) => {
          publisher?.statuses.push(info);
        },
      },
    });
    publisher = new Publisher(socket, session);
    const opened = publisher;
    socket.on('data', (bytes: Buffer) => {
      session.push(bytes);
      opened.wake();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      opened.closed = true;
      opened.wake();
    });
    session.start();
    return opened;
  }

  wake(): void {
    this.#wake();
  }

  /** Resolves when `holds` is true after something came in; the test's time limit is the limit. */
  async until(holds: () => boolean): Promise<void> {
    const waiting = sayWhenLong(() => `${holds}: closed ${this.closed}, statuses ${shown(this.statuses)}`);
    while (!holds()) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    waiting.over();
  }

  /** Resolves with the first status of that code. */
  async status(code: string, matches: (status: ClientStatus) => boolean = () => true): Promise<ClientStatus> {
    const find = () => this.statuses.find((status) => status.code === code && matches(status));
    await this.until(() => find() !== undefined || this.closed);
    const found = find();
    if (found === undefined) throw new Error(`no ${code} came: ${JSON.stringify(this.statuses)}`);
    return found;
  }

  async send(messages: Iterable<SynthMessage> | AsyncIterable<SynthMessage>): Promise<void> {
    for await (const { kind, timestampMs, payload } of messages) {
      if (this.closed) return;
      if (kind === 'video') this.#session.sendVideo(timestampMs, payload);
      else if (kind === 'audio') this.#session.sendAudio(timestampMs, payload);
      else this.#session.sendData(timestampMs, payload);
      if (this.#socket.writableNeedDrain) await this.#drained();
    }
  }

  /** Resolves when more can be written, or never will be. */
  #drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const over = () => {
        socket.off('drain', over).off('close', over);
        resolve();
      };
      socket.once('drain', over).once('close', over);
    });
  }

  /** FCUnpublish, deleteStream, close: how encoders stop. */
  async stop(): Promise<void> {
    if (this.closed) return;
    this.#session.close();
    this.#socket.end();
    await this.until(() => this.closed);
  }

  /** Bytes past the session, for what no encoder should send. */
  writeRaw(bytes: Uint8Array): void {
    this.#socket.write(bytes);
  }

  /** Like a cable that is pulled: no unpublish. */
  cut(): void {
    this.#socket.destroy();
  }
}

/** Also ends when the connection is closed without an error, as by a balancer that has no server. */
async function handshake(socket: TLSSocket, withinMs: number | undefined): Promise<void> {
  const over = new AbortController();
  const abort = () => over.abort();
  const timer = withinMs === undefined ? undefined : setTimeout(abort, withinMs);
  socket.once('close', abort);
  try {
    await once(socket, 'secureConnect', { signal: over.signal });
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clearTimeout(timer);
    socket.off('close', abort);
  }
}

/** Lets messages through at the speed of their time stamps, as an encoder would send them. */
export async function* paced(messages: Iterable<SynthMessage>): AsyncGenerator<SynthMessage> {
  const startedMs = performance.now();
  let firstMs: number | undefined;
  for (const message of messages) {
    firstMs ??= message.timestampMs;
    const aheadMs = message.timestampMs - firstMs - (performance.now() - startedMs);
    if (aheadMs > 5) await sleep(aheadMs);
    yield message;
  }
}
