/** An encoder: it publishes a stream of the fixtures, comes back when it is disconnected, and moves to another server. */
import type { Admission } from '../../src/broadcasts/publish-gate.js';
import type { CloseReason } from '../../src/broadcasts/publisher/close-reasons.js';
import type { DisconnectKind, PublishSession, RecordNotice } from '../../src/broadcasts/publisher/publisher.js';
import { SliceList } from '../../src/bytes/slices.js';
import type { InputNumber } from '../../src/lifecycle/documents.js';
import { newMediaMessage } from '../../src/media/media-message.js';
import type { SynthMessage } from '../support/synth-stream.js';
import type { Packet } from './recordings.js';
import type { Machine, Running } from './server.js';
import type { World } from './world.js';

const SEND_EVERY_MS = 200;
const NETWORK_MS = { from: 1, to: 30 } as const;
/** Until an encoder notices that the process at the other end is gone. */
const NOTICE_MS = { from: 5, to: 400 } as const;
const AGAIN_MS = { from: 500, to: 3_000 } as const;
/** A server that takes nothing for so long is left. */
const PATIENCE_MS = 6_000;

export interface Stream {
  readonly name: string;
  readonly messages: readonly SynthMessage[];
}

/** What encoders were told. */
export interface Told {
  pushed(liveVideoId: string, notice: RecordNotice, by: Running): void;
  /** Where the packets of a connection are noted; undefined: broadcasts are not recorded. */
  receives(liveVideoId: string, by: Running): Packet[] | undefined;
}

class Connection {
  readonly running: Running;
  session: PublishSession | undefined;
  /** The server's side is over. */
  isGone = false;
  closedBy: CloseReason | undefined;
  arrivesMs = 0;
  takenMs: number;
  messages = 0;
  packets: Packet[] | undefined;

  constructor(running: Running, nowMs: number) {
    this.running = running;
    this.takenMs = nowMs;
  }
}

export class Encoder {
  readonly name: string;
  readonly liveVideoId: string;
  readonly input: InputNumber;
  readonly #world: World;
  readonly #machines: readonly Machine[];
  readonly #told: Told;
  stream: Stream;
  #connection: Connection | undefined;
  #startedMs = 0;
  #sent = 0;
  #round = 0;
  isDone = false;
  /** The server said that the broadcast is over. */
  wasEnded = false;

  constructor(
    world: World,
    name: string,
    { liveVideoId, input }: { readonly liveVideoId: string; readonly input: InputNumber },
    stream: Stream,
    machines: readonly Machine[],
    told: Told,
  ) {
    this.#world = world;
    this.name = name;
    this.liveVideoId = liveVideoId;
    this.input = input;
    this.stream = stream;
    this.#machines = machines;
    this.#told = told;
  }

  /** The process that receives it. */
  get servedBy(): string | undefined {
    return this.#connection?.running.actor.name;
  }

  get publishesSinceMs(): number {
    return this.#startedMs;
  }

  get isPublishing(): boolean {
    const connection = this.#connection;
    return connection?.session !== undefined && !connection.isGone && connection.running.actor.isAlive;
  }

  // ---------------------------------------------------------------- connecting

  connect(): void {
    if (this.isDone || this.#connection !== undefined) return;
    const serving = this.#machines.filter(({ running }) => running !== undefined);
    const running = serving.length === 0 ? undefined : this.#world.pick(serving).running;
    if (running === undefined) {
      this.#again();
      return;
    }
    const connection = new Connection(running, this.#world.nowMs);
    this.#connection = connection;
    this.#world.say(`${this.name} connects to ${running.actor.name}`);
    this.#atServer(connection, () => void this.#publish(connection));
    this.#watch(connection);
  }

  /** Notices the end of the process, and a server that takes nothing. */
  #watch(connection: Connection): void {
    this.#world.after(this.#world.between(NOTICE_MS.from, NOTICE_MS.to), () => {
      if (this.#connection !== connection) return;
      const isStuck =
        this.#world.nowMs - connection.takenMs > PATIENCE_MS + (connection.session === undefined ? 10_000 : 0);
      if (connection.running.actor.isAlive && !isStuck) {
        this.#watch(connection);
        return;
      }
      this.#world.say(`${this.name} gives up its connection to ${connection.running.actor.name}`);
      this.drop();
    });
  }

  async #publish(connection: Connection): Promise<void> {
    const { engine } = connection.running;
    const isWaiting = () => !connection.isGone;
    try {
      const from = { address: '192.0.2.1', encoder: this.name };
      const verdict = await engine.admit(`${this.liveVideoId}/${this.input}`, 'live', from, isWaiting);
      if (!verdict.accepted) {
        connection.isGone = true;
        this.#toEncoder(connection, () => {
          this.#world.say(`${this.name} is refused: ${verdict.reason}`);
          if (verdict.reason === 'ended' || verdict.reason === 'unknown-key') this.isDone = true;
          this.#lost(connection);
        });
        return;
      }
      if (connection.running.isStopping) this.#letGo(connection);
      if (connection.isGone) await engine.release(verdict);
      else await this.#start(connection, verdict);
    } catch (error) {
      this.#world.say(`${this.name}: the publish fails: ${error instanceof Error ? error.message : 'unknown'}`);
      connection.isGone = true;
      this.#toEncoder(connection, () => this.#lost(connection));
    }
  }

  async #start(connection: Connection, verdict: Admission): Promise<void> {
    const channel = {
      notify: (notice: RecordNotice) => {
        this.#told.pushed(this.liveVideoId, notice, connection.running);
        const { id, error_code } = notice.record;
        this.#world.say(`${this.name} is told: ${notice.kind} ${error_code} ${id}`);
      },
      closeWith: (reason: CloseReason) => this.#closeWith(connection, reason),
    };
    const client = { secure: true, clientName: this.name };
    const log = { debug: none, info: none, warn: none, error: none, child: () => log };
    connection.packets = this.#told.receives(this.liveVideoId, connection.running);
    const session = await connection.running.engine.start(verdict, channel, client, log);
    connection.session = session;
    if (connection.running.isStopping) this.#letGo(connection);
    if (connection.isGone) {
      void session.leave('lost', connection.closedBy?.interruption);
      return;
    }
    this.#toEncoder(connection, () => {
      if (this.#connection !== connection) return;
      this.#world.say(`${this.name} publishes to ${connection.running.actor.name}, fence ${verdict.lease.fence}`);
      this.#begin(connection);
    });
  }

  /** The server closed the connection while its publish was admitted. */
  #letGo(connection: Connection): void {
    if (connection.isGone) return;
    connection.isGone = true;
    this.#toEncoder(connection, () => this.#lost(connection));
  }

  /** The server closes the connection after its reason was sent. */
  #closeWith(connection: Connection, reason: CloseReason): void {
    if (connection.closedBy !== undefined || connection.isGone) return;
    connection.closedBy = reason;
    this.#world.say(`${this.name} is told by ${connection.running.actor.name}: ${reason.cause}`);
    this.#world.after(100, () => this.#leave(connection, 'lost'), connection.running.actor);
    this.#toEncoder(connection, () => {
      if (reason.kind === 'ended') {
        this.isDone = true;
        this.wasEnded = true;
      }
      this.#lost(connection);
    });
  }

  #leave(connection: Connection, how: DisconnectKind): void {
    if (connection.isGone) return;
    connection.isGone = true;
    connection.session?.leave(how, connection.closedBy?.interruption).catch((error: unknown) => {
      this.#world.say(`${this.name}: leaving fails: ${error instanceof Error ? error.message : 'unknown'}`);
    });
  }

  #again(): void {
    this.#world.after(this.#world.between(AGAIN_MS.from, AGAIN_MS.to), () => this.connect());
  }

  #lost(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    if (!this.isDone) this.#again();
  }

  // ---------------------------------------------------------------- sending

  #begin(connection: Connection): void {
    this.#startedMs = this.#world.nowMs;
    this.#sent = 0;
    this.#round += 1;
    this.#send(connection, this.#round);
  }

  /** Other settings in the same session: the headers of the other stream, and what follows them. */
  change(stream: Stream): void {
    this.stream = stream;
    const connection = this.#connection;
    if (connection?.session !== undefined) this.#begin(connection);
  }

  #send(connection: Connection, round: number): void {
    if (this.#connection !== connection || this.#round !== round) return;
    const { messages } = this.stream;
    const untilMs = this.#world.nowMs - this.#startedMs;
    const from = this.#sent;
    while ((messages[this.#sent]?.timestampMs ?? Number.POSITIVE_INFINITY) <= untilMs) this.#sent += 1;
    const due = messages.slice(from, this.#sent);
    if (due.length > 0) this.#atServer(connection, () => this.#deliver(connection, due));
    this.#world.after(SEND_EVERY_MS, () => this.#send(connection, round));
  }

  #deliver(connection: Connection, due: readonly SynthMessage[]): void {
    const { session, running } = connection;
    if (connection.isGone || session === undefined || !running.actor.isAlive) return;
    connection.takenMs = this.#world.nowMs;
    const message = newMediaMessage();
    for (const { kind, timestampMs, payload } of due) {
      connection.messages += 1;
      message.payload = SliceList.of(payload);
      message.timestampMs = timestampMs;
      message.messageNumber = connection.messages;
      message.atMs = this.#world.nowMs;
      if (kind === 'data') continue;
      connection.packets?.push({ kind, timestampMs, payload, atMs: message.atMs });
      if (kind === 'video') session.target.video(message);
      else session.target.audio(message);
    }
  }

  // ---------------------------------------------------------------- the end of a connection

  /** The connection breaks, and the server notices. */
  drop(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#atServer(connection, () => this.#leave(connection, 'lost'));
    this.#lost(connection);
  }

  /** Its packets are lost on the network, and the connection stays open at the server. */
  vanish(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    // Its idle time.
    this.#world.after(30_000, () => this.#leave(connection, 'lost'), connection.running.actor);
    this.#lost(connection);
  }

  /** Stops by itself. */
  unpublish(): void {
    const connection = this.#connection;
    this.isDone = true;
    if (connection === undefined) return;
    this.#world.say(`${this.name} unpublishes`);
    this.#atServer(connection, () => this.#leave(connection, 'unpublished'));
    this.#lost(connection);
  }

  // ---------------------------------------------------------------- the network, in order

  #atServer(connection: Connection, run: () => void): void {
    const world = this.#world;
    connection.arrivesMs = Math.max(connection.arrivesMs, world.nowMs + world.between(NETWORK_MS.from, NETWORK_MS.to));
    world.at(connection.arrivesMs, run, connection.running.actor);
  }

  #toEncoder(connection: Connection, run: () => void): void {
    this.#world.after(this.#world.between(NETWORK_MS.from, NETWORK_MS.to), () => {
      if (this.#connection === connection) run();
    });
  }
}

const none = (): undefined => undefined;
