/** The copyright detector of the process that opens media: index, comparison of samples, and its state for the others. */
import type { HashedPicture } from '../copyright/pictures.js';
import { type DetectorState, TOPIC, VOLATILE } from '../ports/index.js';
import type { MatchDetails } from '../spec/error-record.js';
import { DETECTOR } from './limits.js';
import type { PrintPort } from './print-port.js';
import type { SoundSample } from './sound-tap.js';
import type { Checked, SoundComparer } from './sound-taps.js';
import { type DetectorCounts, StreamDetector, type StreamDetectorDeps } from './stream-detector.js';
import type { TurnCounts } from './turns.js';

export interface DetectorDeps extends StreamDetectorDeps {
  readonly prints: PrintPort & { readonly hasRoom: boolean };
}

export class CopyrightDetector implements SoundComparer {
  readonly #deps: DetectorDeps;
  readonly #streams: StreamDetector;
  /** Undefined until ffmpeg has told. */
  #isAvailable: boolean | undefined;
  #timers: NodeJS.Timeout[] = [];
  #unsubscribe: () => void = () => undefined;
  #isClosed = false;

  constructor(deps: DetectorDeps) {
    this.#deps = deps;
    this.#streams = new StreamDetector(deps);
  }

  /** Loads the references and follows their changes, until `close`. */
  start(): void {
    const { store } = this.#deps;
    this.#unsubscribe = store.bus.subscribe(TOPIC.references, () => void this.#reload());
    this.#timers = [
      setInterval(() => void this.#reload(), DETECTOR.reloadMs).unref(),
      setInterval(() => void this.#tellState(), DETECTOR.stateMs).unref(),
    ];
    void this.#begin();
  }

  async #begin(): Promise<void> {
    const { prints, log } = this.#deps;
    this.#isAvailable = await prints.isAvailable().catch(() => false);
    if (!this.#isAvailable) log.warn({}, 'ffmpeg has no chromaprint muxer: the copyright detector is off');
    await this.#reload();
  }

  async #reload(): Promise<void> {
    try {
      await this.#deps.references.load();
    } catch (error) {
      if (!this.#isClosed) this.#deps.log.warn({ error }, 'copyright references cannot be loaded; retrying');
    }
    await this.#tellState();
  }

  get state(): DetectorState {
    const { references, lengthMs, omitted, exempt } = this.#deps.references.current;
    const compares = this.#isAvailable === true && references > 0 ? 'on' : 'idle';
    const state = this.#isAvailable === false ? 'unavailable' : compares;
    return { state, references, lengthMs, omitted, exempt };
  }

  /** Leaves the state for the time without this process, which ends since it has nothing to do. */
  async rest(): Promise<void> {
    this.close();
    await this.#storeState(DETECTOR.lastStateLifeMs);
  }

  async #tellState(): Promise<void> {
    if (!this.#isClosed) await this.#storeState(DETECTOR.stateLifeMs);
  }

  async #storeState(lifeMs: number): Promise<void> {
    const { store, log } = this.#deps;
    await store.volatile
      .set(VOLATILE.copyrightDetector, this.state, lifeMs)
      .catch((error: unknown) => log.debug({ error }, 'the state of the copyright detector cannot be stored'));
  }

  get counts(): DetectorCounts {
    return this.#streams.counts;
  }

  get indexBytes(): number {
    return this.#deps.references.current.bytes;
  }

  get hasRoom(): boolean {
    return this.#isAvailable === true && this.#deps.prints.hasRoom;
  }

  get decoders(): number {
    return this.#deps.prints.kept;
  }

  get turns(): TurnCounts {
    return this.#streams.turns;
  }

  check(sample: SoundSample, flv: Uint8Array): Promise<Checked> {
    return this.#streams.check(sample, flv);
  }

  witness(liveVideoId: string, match: MatchDetails, pictures: readonly HashedPicture[]): Promise<MatchDetails> {
    return this.#streams.witness(liveVideoId, match, pictures);
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
    for (const timer of this.#timers) clearInterval(timer);
  }
}
