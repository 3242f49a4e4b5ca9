/** Publishes a fixture to a running server as its delivery says: over TLS or plain, paced or not, with every kind of end. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { ClientSession, type ClientStatus } from '../../src/rtmp/session/client-session.js';
import type { Airlock } from './airlock.js';
import type { Delivery } from './fixtures.js';
import type { SynthMessage } from './synth-stream.js';

export interface Place {
  readonly airlock: Airlock;
  readonly plainPort: number;
}

/** Below this a timer is not worth setting. */
const SHORTEST_WAIT_MS = 4;

export class FixturePublisher {
  readonly statuses: ClientStatus[] = [];
  readonly #socket: Socket;
  readonly #session: ClientSession;
  #wake: () => void = () => undefined;
  #closed = false;
  /** How far it was behind its delivery. */
  lateMs = 0;

  /** Connects and publishes; resolves with the first answer. */
  static async open(place: Place, key: string, plain: boolean): Promise<FixturePublisher> {
    const { airlock, plainPort } = place;
    const port = plain ? plainPort : airlock.quickstart.rtmps_port;
    const socket = plain
      ? connectPlain({ host: '127.0.0.1', port })
      : connectTls({ host: '127.0.0.1', port, servername: 'localhost', ca: readFileSync(airlock.authorityFile) });
    await once(socket, plain ? 'connect' : 'secureConnect');
    const publisher = new FixturePublisher(socket, key, `${plain ? 'rtmp' : 'rtmps'}://localhost:${port}/live`);
    await publisher.#until(() => publisher.statuses.length > 0);
    return publisher;
  }

  private constructor(socket: Socket, key: string, tcUrl: string) {
    this.#socket = socket;
    this.#session = new ClientSession({
      app: 'live',
      name: key,
      tcUrl,
      flashVer: 'FMLE/3.0 (compatible; AirlockTest/1.0)',
      randomBytes: (size) => randomBytes(size),
      sink: {
        send: (bytes) => void socket.write(bytes),
        takeStatus: (info) => {
          this.statuses.push(info);
          this.#wake();
        },
      },
    });
    socket.on('data', (bytes: Buffer) => this.#session.push(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#closed = true;
      this.#wake();
    });
    this.#session.start();
  }

  get isPublishing(): boolean {
    return this.statuses[0]?.code === 'NetStream.Publish.Start';
  }

  /** False when the server ended it on the way. */
  async send(messages: Iterable<SynthMessage>, delivery: Delivery | undefined): Promise<boolean> {
    const due = delivery === undefined ? undefined : pace(delivery);
    for (const message of messages) {
      const waitMs = due?.(message.timestampMs) ?? 0;
      this.lateMs = Math.max(this.lateMs, -waitMs);
      if (waitMs >= SHORTEST_WAIT_MS) await new Promise((goOn) => setTimeout(goOn, waitMs));
      if (this.#closed) return false;
      const { kind, timestampMs, payload } = message;
      if (kind === 'video') this.#session.sendVideo(timestampMs, payload);
      else if (kind === 'audio') this.#session.sendAudio(timestampMs, payload);
      else this.#session.sendData(timestampMs, payload);
      await this.#drained();
    }
    return !this.#closed;
  }

  /** FCUnpublish, deleteStream, close: when it resolves the server has read everything. */
  async stop(): Promise<void> {
    if (this.#closed) return;
    this.#session.close();
    this.#socket.end();
    await this.closed();
  }

  /** Disconnects without an unpublish, after everything is sent. */
  async cut(): Promise<void> {
    if (!this.#closed) await new Promise<void>((sent) => this.#socket.write(new Uint8Array(0), () => sent()));
    this.#socket.destroy();
    await this.closed();
  }

  closed(): Promise<void> {
    return this.#until(() => false);
  }

  async #drained(): Promise<void> {
    const socket = this.#socket;
    if (!socket.writableNeedDrain || this.#closed) return;
    await new Promise<void>((goOn) => {
      const done = () => {
        socket.off('drain', done).off('close', done);
        goOn();
      };
      socket.on('drain', done).on('close', done);
    });
  }

  async #until(holds: () => boolean): Promise<void> {
    while (!holds() && !this.#closed) {
      await new Promise<void>((wake) => {
        this.#wake = wake;
      });
    }
  }
}

/** How long to wait before a message of that time stamp. */
function pace({ speed, pauses = [] }: Delivery): (timestampMs: number) => number {
  const startMs = performance.now();
  const left = [...pauses];
  let lastMs: number | undefined;
  let mediaMs = 0;
  let heldMs = 0;
  return (timestampMs) => {
    mediaMs += (timestampMs - (lastMs ?? timestampMs)) | 0;
    lastMs = timestampMs;
    while (left[0] !== undefined && mediaMs >= left[0].atMs) heldMs += left.shift()?.forMs ?? 0;
    return mediaMs / speed + heldMs - (performance.now() - startMs);
  };
}

/** Tries until the key is free: an encoder that was cut, or fell silent, holds it for a moment. */
export async function openWhenFree(place: Place, key: string): Promise<FixturePublisher> {
  for (;;) {
    const publisher = await FixturePublisher.open(place, key, false);
    if (publisher.isPublishing) return publisher;
    await publisher.closed();
  }
}

/** Sends it all and ends as the delivery says. Resolves to how far it was behind the delivery at most, in ms. */
export async function publishFixture(
  place: Place,
  key: string,
  messages: () => Promise<Iterable<SynthMessage>>,
  delivery: Delivery | undefined,
): Promise<number> {
  // An encoder may have to make them first, and a connection that is silent meanwhile is a fault of its own.
  const stream = await messages();
  const first = await FixturePublisher.open(place, key, delivery?.plain === true);
  if (!first.isPublishing) throw new Error(`refused: ${JSON.stringify(first.statuses)}`);
  const isWhole = await first.send(stream, delivery);
  if (!isWhole) return first.lateMs;
  if (delivery?.ends === undefined) await first.stop();
  else if (delivery.ends !== 'taken-over') await first.cut();
  if (delivery?.ends === undefined || delivery.ends === 'cut') return first.lateMs;
  const second = await openWhenFree(place, key);
  if (delivery.ends === 'cut-and-again') await second.send(await messages(), delivery);
  await second.stop();
  return Math.max(first.lateMs, second.lateMs);
}
