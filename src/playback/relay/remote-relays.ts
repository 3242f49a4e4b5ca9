/** Controls relays that run in the processes that receive the streams, from the process that serves the viewers. */
import type { Clock } from '../../ports/index.js';
import type { RelayHosts } from '../context/deps.js';
import { PLAYBACK_LIMITS } from '../context/limits.js';
import type { FromRelayHost } from '../context/relay-messages.js';
import type { RelayEndpoint } from './relay-link.js';
import type { RelayRequest, RelaySource, RunningRelay } from './relay-source.js';

interface Remote {
  readonly request: RelayRequest;
  readonly openedAtMs: number;
  answer: ((host: number | undefined) => void) | undefined;
  host: number | undefined;
  /** The child that it publishes to; `undefined` after a lost link. */
  endpoint: RelayEndpoint | undefined;
  streamName: string;
}

export class RemoteRelays implements RelaySource {
  readonly #hosts: RelayHosts;
  readonly #clock: Clock;
  readonly #relays = new Map<number, Remote>();
  #last = 0;
  #begun: (liveVideoId: string) => void = () => undefined;

  constructor(hosts: RelayHosts, clock: Clock) {
    this.#hosts = hosts;
    this.#clock = clock;
    hosts.onMessage((host, message) => this.#onMessage(host, message));
    hosts.onGone((host) => this.#onGone(host));
  }

  onBegun(listener: (liveVideoId: string) => void): void {
    this.#begun = listener;
  }

  async open(request: RelayRequest): Promise<RunningRelay | undefined> {
    this.#last++;
    const relay = this.#last;
    const remote: Remote = {
      request,
      openedAtMs: this.#clock.monotonicMs(),
      answer: undefined,
      host: undefined,
      endpoint: undefined,
      streamName: '',
    };
    this.#relays.set(relay, remote);
    const host = await new Promise<number | undefined>((resolve) => {
      const timer = setTimeout(() => resolve(undefined), PLAYBACK_LIMITS.hostAnswerMs);
      remote.answer = (found) => {
        clearTimeout(timer);
        resolve(found);
      };
      const { liveVideoId, startMs } = request;
      this.#hosts.sendAll({ playback: 'open', relay, liveVideoId, startMs });
    });
    remote.answer = undefined;
    if (host === undefined) {
      this.#relays.delete(relay);
      return undefined;
    }
    return this.#handle(relay, host, remote);
  }

  #handle(relay: number, host: number, remote: Remote): RunningRelay {
    return {
      get streamName() {
        return remote.streamName;
      },
      connect: (endpoint, newName) => {
        if (remote.endpoint === endpoint) return;
        remote.endpoint = endpoint;
        remote.streamName = newName();
        const { streamName } = remote;
        const query = endpoint.sign(streamName);
        this.#hosts.send(host, { playback: 'connect', relay, rtmpPort: endpoint.rtmpPort, streamName, query });
      },
      close: () => {
        if (this.#relays.has(relay)) this.#hosts.send(host, { playback: 'close', relay });
      },
    };
  }

  #onMessage(host: number, message: FromRelayHost): void {
    if (message.playback === 'begun') {
      for (const liveVideoId of message.liveVideoIds) this.#begun(liveVideoId);
      return;
    }
    const remote = this.#relays.get(message.relay);
    if (message.playback === 'opened') {
      if (remote?.answer === undefined) {
        // Too late: the request has timed out.
        this.#hosts.send(host, { playback: 'close', relay: message.relay });
        return;
      }
      remote.host = host;
      remote.answer(host);
    }
    if (message.playback === 'link-lost' && remote?.streamName === message.streamName) {
      remote.endpoint = undefined;
      remote.request.onLinkLost();
    }
    if (message.playback === 'closed') this.#closed(message.relay, message.lastMs);
  }

  #closed(relay: number, lastMs: number): void {
    const remote = this.#relays.get(relay);
    this.#relays.delete(relay);
    remote?.request.onClosed(lastMs);
  }

  /** The process died without a `closed` message. Its last media time is estimated from the elapsed time. */
  #onGone(host: number): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [relay, remote] of [...this.#relays]) {
      if (remote.host !== host) continue;
      const elapsedMs = Math.round(nowMs - remote.openedAtMs);
      this.#closed(relay, remote.request.startMs + elapsedMs + PLAYBACK_LIMITS.hostGoneLeadMs);
    }
  }
}
