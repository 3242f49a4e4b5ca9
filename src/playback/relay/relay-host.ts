/** Runs relays in a process that receives streams, on behalf of the process that serves the viewers. */
import type { Log, TappedStream, TapSource } from '../../ports/index.js';
import type { FromRelayHost, RunningStreams, ToRelayHost } from '../context/deps.js';
import { LocalRelays, type Relay } from './relay.js';

type Send = (message: FromRelayHost) => void;

export interface RelayHostDeps {
  readonly streams: RunningStreams;
  readonly log: Log;
  readonly send: Send;
}

/** A viewer that waits for its stream does not notice it. */
const TOGETHER_MS = 20;

export class RelayHost {
  readonly #send: Send;
  readonly #local: LocalRelays;
  readonly #relays = new Map<number, Relay>();

  constructor(deps: RelayHostDeps) {
    this.#send = deps.send;
    this.#local = new LocalRelays(deps.streams, deps.log);
  }

  /** A message of the process that serves the viewers. */
  take(message: ToRelayHost): void {
    if (message.playback === 'open') void this.#open(message);
    else if (message.playback === 'close') this.#relays.get(message.relay)?.close();
    else this.#connect(message);
  }

  async #open({ relay, ...asked }: ToRelayHost & { readonly playback: 'open' }): Promise<void> {
    const made = await this.#local.open({
      ...asked,
      home: {
        reconnect: () => {
          const streamName = this.#relays.get(relay)?.streamName ?? '';
          this.#send({ playback: 'link-lost', relay, streamName });
        },
        closed: (_relay, lastMs) => {
          this.#relays.delete(relay);
          this.#send({ playback: 'closed', relay, lastMs });
        },
      },
    });
    if (made === undefined) return;
    this.#relays.set(relay, made);
    this.#send({ playback: 'opened', relay });
  }

  #connect({ relay, rtmpPort, streamName, query }: ToRelayHost & { readonly playback: 'connect' }): void {
    this.#relays.get(relay)?.connect({ rtmpPort, sign: () => query }, () => streamName);
  }

  close(): void {
    for (const relay of [...this.#relays.values()]) relay.close();
  }
}

/** Tells the process that serves viewers which streams start here: some may wait for them. */
export class BegunStreams implements TapSource {
  readonly #send: Send;
  /** Streams that the other process has not been told of. */
  #begun: string[] = [];

  constructor(send: Send) {
    this.#send = send;
  }

  /** Returns no tap. */
  open({ liveVideoId }: TappedStream, when: 'publish' | 'live'): undefined {
    // Deferred until the publication accepts taps; those of many encoders that connect at once share a message.
    if (when === 'publish' && this.#begun.push(liveVideoId) === 1) setTimeout(() => this.#tell(), TOGETHER_MS).unref();
    return undefined;
  }

  #tell(): void {
    this.#send({ playback: 'begun', liveVideoIds: this.#begun });
    this.#begun = [];
  }
}
