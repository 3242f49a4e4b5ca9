/** Controls relays that run in the processes that receive the streams, from the process that serves the viewers. */
import type { Clock } from '../../ports/index.js';
import type { FromRelayHost, RelayHosts } from '../context/deps.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import type { RelayEndpoint, RelayRequest, RelaySource, RunningRelay } from './relay.js';

class RemoteRelay implements RunningRelay {
  readonly request: RelayRequest;
  readonly openedAtMs: number;
  readonly #hosts: RelayHosts;
  readonly #number: number;
  /** Ends the wait for a host; `undefined` once it has ended. */
  answer: ((host: number) => void) | undefined;
  host: number | undefined;
  streamName = '';
  /** The child that it publishes to; `undefined` after a lost link. */
  #endpoint: RelayEndpoint | undefined;
  #closed = false;

  constructor(request: RelayRequest, hosts: RelayHosts, number: number, nowMs: number) {
    this.request = request;
    this.openedAtMs = nowMs;
    this.#hosts = hosts;
    this.#number = number;
  }

  /** False: no process has the stream. */
  async open(): Promise<boolean> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, PLAYBACK_LIMITS.hostAnswerMs);
      this.answer = (host) => {
        clearTimeout(timer);
        this.host = host;
        resolve();
      };
      const { liveVideoId, startMs } = this.request;
      this.#hosts.sendAll({ playback: 'open', relay: this.#number, liveVideoId, startMs });
    });
    this.answer = undefined;
    return this.host !== undefined;
  }

  connect(endpoint: RelayEndpoint, newName: () => string): void {
    if (this.host === undefined || this.#endpoint === endpoint) return;
    this.#endpoint = endpoint;
    this.streamName = newName();
    const { streamName } = this;
    const query = endpoint.sign(streamName);
    const { rtmpPort } = endpoint;
    this.#hosts.send(this.host, { playback: 'connect', relay: this.#number, rtmpPort, streamName, query });
  }

  linkLost(): void {
    this.#endpoint = undefined;
    this.request.home.reconnect();
  }

  closed(lastMs: number): void {
    this.#closed = true;
    this.request.home.closed(this, lastMs);
  }

  close(): void {
    if (!this.#closed && this.host !== undefined)
      this.#hosts.send(this.host, { playback: 'close', relay: this.#number });
  }
}

export class RemoteRelays implements RelaySource {
  readonly #hosts: RelayHosts;
  readonly #clock: Clock;
  readonly #relays = new Map<number, RemoteRelay>();
  #last = 0;

  constructor(hosts: RelayHosts, clock: Clock) {
    this.#hosts = hosts;
    this.#clock = clock;
  }

  async open(request: RelayRequest): Promise<RunningRelay | undefined> {
    const number = ++this.#last;
    const relay = new RemoteRelay(request, this.#hosts, number, this.#clock.monotonicMs());
    this.#relays.set(number, relay);
    if (await relay.open()) return relay;
    this.#relays.delete(number);
    return undefined;
  }

  /** A message of a process that receives streams. */
  take(host: number, message: Exclude<FromRelayHost, { readonly playback: 'begun' }>): void {
    const relay = this.#relays.get(message.relay);
    if (message.playback === 'opened') {
      if (relay?.answer !== undefined) relay.answer(host);
      // Too late: the request has timed out.
      else this.#hosts.send(host, { playback: 'close', relay: message.relay });
    }
    if (message.playback === 'link-lost' && relay?.streamName === message.streamName) relay.linkLost();
    if (message.playback === 'closed') this.#closed(message.relay, message.lastMs);
  }

  #closed(number: number, lastMs: number): void {
    const relay = this.#relays.get(number);
    this.#relays.delete(number);
    relay?.closed(lastMs);
  }

  /** The process died without a `closed` message. Its last media time is estimated from the elapsed time. */
  gone(host: number): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [number, relay] of [...this.#relays]) {
      if (relay.host !== host) continue;
      const elapsedMs = Math.round(nowMs - relay.openedAtMs);
      this.#closed(number, relay.request.startMs + elapsedMs + PLAYBACK_LIMITS.hostGoneLeadMs);
    }
  }
}
