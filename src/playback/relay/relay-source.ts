/** Creates relays of streams of this process; `remote-relays.ts` does it for those of other processes. */
import type { Log } from '../../ports/index.js';
import type { RunningStreams } from '../context/deps.js';
import { qualityOf } from '../context/quality.js';
import { Relay } from './relay.js';
import type { RelayEndpoint } from './relay-link.js';

export interface RelayRequest {
  /** The stream that viewers asked for (`quality.ts`). */
  readonly liveVideoId: string;
  /** Player time of its first frame. */
  readonly startMs: number;
  /** The child is gone or does not read; the relay needs a new connection. */
  onLinkLost(): void;
  /** The stream has ended, or the relay failed. `lastMs`: the latest time that viewers may have received. */
  onClosed(lastMs: number): void;
}

export interface RunningRelay {
  /** The name under which it was last published. */
  readonly streamName: string;
  /** Publishes to this child under a new name. Does nothing if it already does. */
  connect(endpoint: RelayEndpoint, newName: () => string): void;
  close(): void;
}

export interface RelaySource {
  /** `undefined`: the stream is not running. */
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
    const { liveVideoId, track } = qualityOf(request.liveVideoId);
    const relay: Relay = new Relay({
      ...request,
      liveVideoId,
      track,
      log: this.#log,
      onLinkLost: () => request.onLinkLost(),
      onClosed: (lastMs) => {
        this.#streams.detach(liveVideoId, relay);
        request.onClosed(lastMs);
      },
    });
    return this.#streams.attach(liveVideoId, relay) ? relay : undefined;
  }
}
