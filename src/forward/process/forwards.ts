/** The forwards of the broadcasts that this server receives: takes their packets, follows changes in the store, reports states. */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { LiveVideoData } from '../../lifecycle/documents.js';
import { isOver } from '../../lifecycle/lifecycle.js';
import {
  FORWARD_REPORT_MS,
  type ForwardNotice,
  type ForwardState,
  forwardsOf,
  LEASE,
  type Log,
  type NotedForward,
  processOf,
  type StateMessage,
  type Store,
  type StoredForward,
  TOPIC,
  VOLATILE,
} from '../../ports/index.js';
import type { ForwardView } from '../core/forward.js';
import { FORWARD_LIMITS } from '../core/limits.js';
import { asSentMetadata, type Packet, roleOf } from '../core/packets.js';
import { type FeedBegin, type FeedFrame, FeedReader } from '../feed/frames.js';
import { Line, type LineDeps } from './line.js';

export interface ForwardsDeps extends LineDeps {
  readonly store: Pick<Store, 'objects' | 'bus' | 'volatile' | 'leases'>;
  readonly log: Log;
  /** Socket file on which broadcasts arrive. */
  readonly path: string;
  /** Random id of this deployment. */
  readonly ownId: string;
  /** A process of this machine that runs now holds leases under this name. */
  readonly isOwnProcess: (holder: string) => boolean;
  /** Becomes a record of the broadcast. */
  readonly note: (liveVideoId: string, notice: ForwardNotice, forward: NotedForward) => void;
  /** There has been no broadcast for a while. */
  readonly idle: () => void;
}

interface Totals {
  readonly bytesSent: number;
  readonly droppedMs: number;
  readonly refused: number;
  readonly lost: number;
  readonly behind: number;
}

export class Forwards {
  readonly #deps: ForwardsDeps;
  readonly #streams = new Map<string, Stream>();
  readonly #sockets = new Set<Socket>();
  /** Processes that have sent broadcasts, by the names under which they hold leases: the lease of one that died outlasts it. */
  readonly #senders = new Set<string>();
  readonly #unsubscribe: readonly (() => void)[];
  readonly #timer: NodeJS.Timeout;
  #server: Server | undefined;
  #checkedAtMs = 0;
  #usedAtMs: number;
  /** Totals since the start; bytes and time without those of forwards that run. */
  readonly #ended = { bytesSent: 0, droppedMs: 0, refused: 0, lost: 0, behind: 0 };

  private constructor(deps: ForwardsDeps) {
    this.#deps = deps;
    const { bus } = deps.store;
    this.#usedAtMs = deps.clock.monotonicMs();
    this.#unsubscribe = [
      bus.subscribe(TOPIC.forwards, (message) => this.#changed((message as { readonly subjectId: string }).subjectId)),
      bus.subscribe(TOPIC.state, (message) => this.#stateCame(message as StateMessage)),
    ];
    this.#timer = setInterval(() => this.#tick(), FORWARD_LIMITS.tickMs);
  }

  /** Listens on the socket file. */
  static async open(deps: ForwardsDeps): Promise<Forwards> {
    const forwards = new Forwards(deps);
    const server = createServer((socket) => forwards.#accept(socket));
    forwards.#server = server;
    rmSync(deps.path, { force: true });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(deps.path, resolve);
    });
    chmodSync(deps.path, 0o600);
    return forwards;
  }

  get lines(): readonly Line[] {
    return [...this.#streams.values()].flatMap((stream) => [...stream.lines.values()]);
  }

  // ---------------------------------------------------------------- metrics

  get states(): Readonly<Partial<Record<ForwardState, number>>> {
    const counts: Partial<Record<ForwardState, number>> = {};
    for (const { forward } of this.lines) counts[forward.state] = (counts[forward.state] ?? 0) + 1;
    return counts;
  }

  get lagMs(): number {
    return Math.max(0, ...this.#views().map(({ lagMs }) => lagMs));
  }

  get totals(): Totals {
    const totals = { ...this.#ended };
    for (const { bytesSent, droppedMs } of this.#views()) {
      totals.bytesSent += bytesSent;
      totals.droppedMs += droppedMs;
    }
    return totals;
  }

  #views(): readonly ForwardView[] {
    const nowMs = this.#deps.clock.monotonicMs();
    return this.lines.map(({ forward }) => forward.view(nowMs));
  }

  // ---------------------------------------------------------------- broadcasts

  #accept(socket: Socket): void {
    const reader = new FeedReader();
    let stream: Stream | undefined;
    this.#sockets.add(socket);
    socket.on('data', (piece: Buffer) => {
      try {
        for (const frame of reader.push(piece)) {
          if (frame.is === 'begin') stream = this.#begin(frame.begin, socket);
          else stream?.take(frame);
        }
        stream?.pump();
      } catch (error) {
        this.#deps.log.error({ error }, 'a broadcast for forwards ended with a fault');
        socket.destroy();
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.#sockets.delete(socket);
      stream?.pause(socket);
    });
  }

  #begin(begin: FeedBegin, socket: Socket): Stream {
    const { liveVideoId, holder } = begin;
    this.#senders.add(holder);
    const known = this.#streams.get(liveVideoId);
    const stream = known ?? new Stream(begin, this.#deps);
    this.#streams.set(liveVideoId, stream);
    stream.begin(begin, socket);
    this.#read(stream);
    return stream;
  }

  /** Reads the forwards of a broadcast. Its packets wait for it in the socket. */
  #read(stream: Stream): void {
    stream.hold();
    void this.#untilRead(stream).finally(() => stream.release());
  }

  async #untilRead(stream: Stream): Promise<void> {
    const { store, log } = this.#deps;
    const { liveVideoId, ownerId } = stream;
    while (this.#streams.get(liveVideoId) === stream) {
      try {
        const stored = await forwardsOf(store.objects, [liveVideoId, ownerId]);
        for (const line of stream.use(stored)) this.#count(line);
        return;
      } catch (error) {
        log.warn({ error, liveVideoId }, 'the forwards of a broadcast could not be read');
        await new Promise((resolve) => setTimeout(resolve, FORWARD_LIMITS.feedRetryMs));
      }
    }
  }

  #changed(subjectId: string): void {
    for (const stream of this.#streams.values())
      if (stream.liveVideoId === subjectId || stream.ownerId === subjectId) this.#read(stream);
  }

  #stateCame(now: StateMessage): void {
    const stream = this.#streams.get(now.liveVideoId);
    if (stream === undefined) return;
    // Its packets may be here before what was said when it was published.
    if (isOver(now)) this.#end(stream);
    else if (now.status === 'LIVE' && now.stream === 'connected') this.#leaveIfElsewhere(stream);
  }

  #end(stream: Stream): void {
    this.#streams.delete(stream.liveVideoId);
    this.#note(stream);
    for (const line of stream.lines.values()) {
      line.end();
      this.#count(line);
    }
    this.#report(stream);
    this.#usedAtMs = this.#deps.clock.monotonicMs();
  }

  /** Another server receives it: its targets take one publisher. */
  #leaveIfElsewhere(stream: Stream): void {
    const { store, log } = this.#deps;
    const { liveVideoId } = stream;
    store.leases.holder(LEASE.publish(liveVideoId)).then(
      (lease) => {
        const isElsewhere = lease !== undefined && !this.#isOwn(processOf(lease.holder));
        if (isElsewhere && this.#streams.get(liveVideoId) === stream) this.#end(stream);
      },
      (error: unknown) => log.debug({ error, liveVideoId }, 'the holder of a broadcast could not be read'),
    );
  }

  #isOwn(process: string): boolean {
    return this.#senders.has(process) || this.#deps.isOwnProcess(process);
  }

  // ---------------------------------------------------------------- time

  #tick(): void {
    const nowMs = this.#deps.clock.monotonicMs();
    for (const stream of this.#streams.values()) {
      stream.tick();
      this.#report(stream);
      this.#note(stream);
    }
    this.#makeRoom(nowMs);
    if (nowMs - this.#checkedAtMs >= FORWARD_LIMITS.checkMs) {
      this.#checkedAtMs = nowMs;
      this.#check();
    }
    if (this.#streams.size > 0) this.#usedAtMs = nowMs;
    else if (nowMs - this.#usedAtMs > FORWARD_LIMITS.idleMs) {
      this.#usedAtMs = nowMs;
      this.#deps.idle();
    }
  }

  /** The owner, or else the forward, with the most is cut first. */
  #makeRoom(nowMs: number): void {
    const byOwner = new Map<string, number>();
    let all = 0;
    for (const { ownerId, forward } of this.lines) {
      byOwner.set(ownerId, (byOwner.get(ownerId) ?? 0) + forward.queuedBytes);
      all += forward.queuedBytes;
    }
    for (const [ownerId, bytes] of byOwner) {
      const isOver = bytes > FORWARD_LIMITS.ownerQueueBytes || all > FORWARD_LIMITS.processQueueBytes;
      if (!isOver) continue;
      const own = this.lines.filter((line) => line.ownerId === ownerId);
      own.sort((a, b) => b.forward.queuedBytes - a.forward.queuedBytes)[0]?.forward.cutForRoom(nowMs);
    }
  }

  #check(): void {
    const { store, log } = this.#deps;
    for (const stream of this.#streams.values()) {
      if (stream.isFed) continue;
      const { liveVideoId } = stream;
      store.objects.get<LiveVideoData>(liveVideoId).then(
        (live) => {
          if (stream.isFed || this.#streams.get(liveVideoId) !== stream) return;
          if (live?.data.status !== 'LIVE') this.#end(stream);
          else if (live.data.stream === 'connected') this.#leaveIfElsewhere(stream);
        },
        (error: unknown) => log.debug({ error, liveVideoId }, 'a broadcast could not be read'),
      );
    }
  }

  // ---------------------------------------------------------------- what is said

  #report(stream: Stream): void {
    const { volatile, bus } = this.#deps.store;
    for (const line of stream.lines.values()) {
      const said = line.report(FORWARD_LIMITS.reportMs);
      if (said === undefined) continue;
      const { report, isChange } = said;
      const keys = [VOLATILE.forward(line.id), VOLATILE.forwardOf(line.id, stream.liveVideoId)];
      for (const key of keys) volatile.set(key, report, FORWARD_REPORT_MS).catch(() => undefined);
      if (isChange) bus.publish(TOPIC.forwardState, report);
    }
  }

  #note(stream: Stream): void {
    for (const line of stream.lines.values()) {
      for (const notice of line.takeNotices()) {
        this.#ended[notice.what]++;
        this.#deps.note(stream.liveVideoId, notice, { id: line.id, name: line.name });
      }
    }
  }

  /** Keeps the totals of a forward that ends. */
  #count({ forward }: Line): void {
    const { bytesSent, droppedMs } = forward.view(this.#deps.clock.monotonicMs());
    this.#ended.bytesSent += bytesSent;
    this.#ended.droppedMs += droppedMs;
  }

  close(): void {
    clearInterval(this.#timer);
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    this.#server?.close();
    for (const socket of this.#sockets) socket.destroy();
    for (const stream of [...this.#streams.values()]) this.#end(stream);
  }
}

/** One broadcast with its forwards. */
class Stream {
  readonly liveVideoId: string;
  readonly ownerId: string;
  readonly lines = new Map<string, Line>();
  readonly #deps: ForwardsDeps;
  readonly #passed: readonly string[];
  /** The latest metadata and sequence headers, for a forward that is added. */
  readonly #headers = new Map<string, Packet>();
  #socket: Socket | undefined;
  #openErrors: readonly number[] = [];
  #isResumed = false;
  #holds = 0;
  /** Frames that came before the forwards were known. */
  #early: Exclude<FeedFrame, { readonly is: 'begin' }>[] | undefined = [];

  constructor({ liveVideoId, ownerId, passed }: FeedBegin, deps: ForwardsDeps) {
    this.liveVideoId = liveVideoId;
    this.ownerId = ownerId;
    this.#deps = deps;
    this.#passed = [...passed, deps.ownId];
  }

  get isFed(): boolean {
    return this.#socket !== undefined;
  }

  get #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }

  begin({ isResumed }: FeedBegin, socket: Socket): void {
    const before = this.#socket;
    this.#socket = socket;
    if (before !== socket) before?.destroy();
    this.#isResumed = isResumed;
    this.#headers.clear();
    for (const { forward } of this.lines.values()) forward.begin(this.#nowMs, isResumed);
  }

  hold(): void {
    this.#holds++;
    this.#socket?.pause();
  }

  release(): void {
    this.#holds--;
    if (this.#holds === 0) this.#socket?.resume();
  }

  pause(socket: Socket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    for (const { forward } of this.lines.values()) forward.pause(this.#nowMs);
  }

  take(frame: Exclude<FeedFrame, { readonly is: 'begin' }>): void {
    if (this.#early !== undefined) {
      this.#early.push(frame);
      return;
    }
    const atMs = this.#nowMs;
    if (frame.is === 'judged') {
      this.#openErrors = frame.openErrors;
      for (const { forward } of this.lines.values()) forward.errors(frame.openErrors, atMs);
      return;
    }
    const { kind, track, timestampMs } = frame;
    const { bytes } = frame;
    const role = roleOf(kind, { length: bytes.length, byteAt: (at) => bytes[at] ?? 0 });
    const sent = kind === 'data' ? asSentMetadata(bytes) : bytes;
    const packet: Packet = { kind, role, track, timestampMs, bytes: sent, atMs };
    if (role === 'metadata' || role === 'header') this.#headers.set(`${kind} ${track}`, packet);
    for (const line of this.lines.values()) line.packet(packet);
  }

  /** Follows the forwards that are stored now, and returns those that have ended. */
  use(stored: readonly StoredForward[]): readonly Line[] {
    const ended = [...this.lines.values()].filter((line) => !stored.some((each) => line.isSame(each)));
    for (const line of ended) {
      line.end();
      this.lines.delete(line.id);
    }
    for (const each of stored) {
      const line = this.lines.get(each.id);
      if (line === undefined) this.#add(each);
      else line.change(each);
    }
    const early = this.#early ?? [];
    this.#early = undefined;
    for (const frame of early) this.take(frame);
    this.pump();
    return ended;
  }

  #add(stored: StoredForward): void {
    const line = new Line(stored, this.liveVideoId, this.#passed, this.#deps);
    this.lines.set(stored.id, line);
    if (!this.isFed) return;
    line.forward.begin(this.#nowMs, this.#isResumed);
    for (const packet of this.#headers.values()) line.packet(packet);
    line.forward.errors(this.#openErrors, this.#nowMs);
  }

  pump(): void {
    for (const line of this.lines.values()) line.pump();
  }

  tick(): void {
    for (const line of this.lines.values()) line.tick();
  }
}
