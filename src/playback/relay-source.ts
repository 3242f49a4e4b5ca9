/** Where relays come from: streams of this process, or of others (`remote-relays.ts`). */
import type { Log } from '../ports/index.js';
import type { RunningStreams } from './deps.js';
import { Relay } from './relay.js';
import type { RelayEndpoint } from './relay-link.js';

export interface RelayRequest {
  readonly liveVideoId: string;
  /** Time of its first picture. */
  readonly startMs: number;
  /** The child is gone or does not read: to be connected again. */
  onLinkLost(): void;
  /** The stream has ended, or the relay failed. `lastMs`: the latest time that viewers may have seen. */
  onClosed(lastMs: number): void;
}

export interface RunningRelay {
  /** The name under which it was published last. */
  readonly streamName: string;
  /** Publishes to this child under a new name; nothing happens when it does so already. */
  connect(endpoint: RelayEndpoint, newName: () => string): void;
  close(): void;
}

export interface RelaySource {
  /** `undefined`: the stream does not run. */
  open(request: RelayRequest): Promise<RunningRelay | undefined>;
}

export class LocalRelays implements RelaySource {
  readonly #streams: RunningStreams;
  readonly #log: Log;

  constructor(streams: RunningStreams, log: Log) {
    this.#streams = streams;
    this.#log = log;
  }

  async open(request: RelayRequest): Promise<Relay | undefined> {
    const relay = this.make(request);
    if (this.#streams.attach(request.liveVideoId, relay)) return relay;
    return undefined;
  }

  /** For a stream that begins, and attaches it itself. */
  make(request: RelayRequest): Relay {
    const relay: Relay = new Relay({
      ...request,
      log: this.#log,
      onLinkLost: () => request.onLinkLost(),
      onClosed: (lastMs) => {
        this.#streams.detach(request.liveVideoId, relay);
        request.onClosed(lastMs);
      },
    });
    return relay;
  }
}
