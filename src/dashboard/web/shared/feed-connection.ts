/** Client of the live feed: connects, resumes by revision after a drop, and exposes the state of the connection. */
import { CLOSE } from '../../view/limits.js';
import { FEED_PATH, type FeedMessage, SESSION_FEED_PATH, type Subscribe } from '../../view/protocol.js';
import { advanceFeed, EMPTY_FEED, type FeedState, revisionsSeen } from './feed-state.js';
import { Value } from './value.js';

export interface ConnectionState {
  /** refused: the token or the session is no longer valid. failed: the server rejected the subscription. */
  readonly phase: 'connecting' | 'live' | 'reconnecting' | 'refused' | 'failed';
  /** Time of the last message, milliseconds since 1970; 0: none yet. */
  readonly heardMs: number;
  readonly reason: string;
}

/** More than two heartbeats of the server, which sends one every five seconds. */
const SILENCE_MS = 12_000;
const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 8_000;

export class FeedConnection {
  readonly feed = new Value<FeedState>(EMPTY_FEED);
  readonly connection = new Value<ConnectionState>({ phase: 'connecting', heardMs: 0, reason: '' });
  readonly #first: Pick<Subscribe, 'token' | 'broadcasts' | 'recent'>;
  #socket: WebSocket | undefined;
  #retry: number | undefined;
  #watch: number | undefined;
  #delayMs = FIRST_DELAY_MS;
  #triedMs = 0;
  #stopped = false;

  /** Without a token, the session of the browser is what the feed is read with. */
  constructor(first: Pick<Subscribe, 'token' | 'broadcasts' | 'recent'>) {
    this.#first = first;
  }

  start(): void {
    window.addEventListener('online', this.#retryNow);
    document.addEventListener('visibilitychange', this.#retryNow);
    this.#watch = window.setInterval(() => this.#checkHeartbeat(), 1_000);
    this.#connect();
  }

  stop(): void {
    this.#stopped = true;
    window.removeEventListener('online', this.#retryNow);
    document.removeEventListener('visibilitychange', this.#retryNow);
    window.clearInterval(this.#watch);
    window.clearTimeout(this.#retry);
    this.#socket?.close();
  }

  #connect(): void {
    window.clearTimeout(this.#retry);
    this.#retry = undefined;
    const url = new URL(this.#first.token === undefined ? SESSION_FEED_PATH : FEED_PATH, window.location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    url.hash = '';
    const socket = new WebSocket(url);
    this.#socket = socket;
    this.#triedMs = Date.now();
    socket.onopen = () => {
      const subscribe: Subscribe = {
        type: 'subscribe',
        ...this.#first,
        after_revision: revisionsSeen(this.feed.get()),
      };
      socket.send(JSON.stringify(subscribe));
    };
    socket.onmessage = (event: MessageEvent<string>) => this.#onMessage(event.data);
    socket.onclose = (event) => {
      if (this.#socket === socket) this.#onClose(event.code, event.reason);
    };
  }

  #onMessage(text: string): void {
    const message = JSON.parse(text) as FeedMessage;
    this.#delayMs = FIRST_DELAY_MS;
    const heardMs = Date.now();
    const { phase } = this.connection.get();
    // After a drop, the state is current only once `synced` has arrived.
    const next = message.type === 'synced' || phase === 'live' ? 'live' : phase;
    this.connection.set({ phase: next, heardMs, reason: '' });
    this.feed.set(advanceFeed(this.feed.get(), message));
  }

  #onClose(code: number, reason: string): void {
    this.#socket = undefined;
    if (this.#stopped) return;
    const { heardMs } = this.connection.get();
    if (code >= CLOSE.badMessage) {
      this.connection.set({ phase: code === CLOSE.badToken ? 'refused' : 'failed', heardMs, reason });
      return;
    }
    this.connection.set({ phase: heardMs === 0 ? 'connecting' : 'reconnecting', heardMs, reason });
    const jitter = 0.75 + Math.random() / 2;
    this.#retry = window.setTimeout(() => this.#connect(), this.#delayMs * jitter);
    this.#delayMs = Math.min(this.#delayMs * 1.7, LONGEST_DELAY_MS);
  }

  /** A lost network leaves the socket open; only missing heartbeats reveal it. */
  #checkHeartbeat(): void {
    const socket = this.#socket;
    const { heardMs } = this.connection.get();
    if (socket === undefined || Date.now() - Math.max(heardMs, this.#triedMs) < SILENCE_MS) return;
    this.#socket = undefined;
    socket.close();
    this.#onClose(0, 'no heartbeat');
  }

  /** Skips the retry delay when the page becomes visible or the network returns. */
  readonly #retryNow = (): void => {
    if (this.#retry === undefined || document.visibilityState === 'hidden') return;
    this.#delayMs = FIRST_DELAY_MS;
    this.#connect();
  };
}
