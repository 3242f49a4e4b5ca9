/** Streams of other processes: the one that receives a stream is told over the bus what changes for it. */
import { defined } from '../lib/objects.js';
import type { EndReason } from '../lifecycle/documents.js';
import { TOPIC } from '../ports/index.js';
import type { BroadcastDeps } from './deps.js';
import type { LeftAir } from './input-pair.js';
import type { JudgeFactory } from './judge-factory.js';
import { RecordCloser } from './record-closer.js';
import type { LiveVideo, Moved, StateWriter } from './state-writer.js';

/** Addressed to the process that holds the stream. */
export interface ControlMessage {
  readonly liveVideoId: string;
  readonly from: string;
  readonly action:
    | 'go-live'
    | 'go-live-on-data'
    | 'close'
    | 'yield'
    | 'yielded'
    | 'retune'
    | 'put-on-air'
    | 'backup-return'
    /** An input stream stands by in the process that says it. */
    | 'air-wanted'
    | 'air-left'
    /** Records of earlier publishes have reached the store. */
    | 'late-records';
  readonly reason?: EndReason | undefined;
  /** With `air-left`. */
  readonly left?: LeftAir;
  /** With `put-on-air`. */
  readonly inputStreamId?: string;
  /** With `backup-return`. */
  readonly isBackupReturn?: boolean | undefined;
}

export class StreamsElsewhere {
  readonly #deps: BroadcastDeps;
  readonly #records: RecordCloser;

  /** `judges`: a broadcast without a publisher gets one for the moment in which its records are closed. */
  constructor(deps: BroadcastDeps, states: StateWriter, judges: JudgeFactory) {
    this.#deps = deps;
    this.#records = new RecordCloser(deps, states, judges);
  }

  /** No stream is received here. */
  get(): undefined {
    return undefined;
  }

  getInput(): undefined {
    return undefined;
  }

  /** A transition made by HTTP or a deadline. */
  async applyEffects({ live, effects }: Moved): Promise<void> {
    for (const effect of effects) {
      if (effect.effect === 'went-live') this.tell(live.id, 'go-live');
      if (effect.effect === 'close-publisher') {
        this.tell(live.id, 'close', { reason: effect.reason });
        await this.#records.close(live, effect.reason);
      }
      if (effect.effect === 'ended') this.#deps.recordings.ended(live);
    }
    // Only the process that receives the stream knows whether data flows.
    if (live.data.goLiveOnData && live.data.stream === 'connected') this.tell(live.id, 'go-live-on-data');
  }

  /** Lets the encoder go, so that it asks for its settings again. */
  retune({ id }: LiveVideo): void {
    this.tell(id, 'retune');
  }

  putOnAir(liveVideoId: string, inputStreamId: string): void {
    this.tell(liveVideoId, 'put-on-air', { inputStreamId });
  }

  backupReturn({ id, data: { isBackupReturn } }: LiveVideo): void {
    this.tell(id, 'backup-return', { isBackupReturn });
  }

  tell(
    liveVideoId: string,
    action: ControlMessage['action'],
    more: Pick<ControlMessage, 'reason' | 'left' | 'inputStreamId' | 'isBackupReturn'> = {},
  ): void {
    const { store, holder } = this.#deps;
    const message: ControlMessage = { liveVideoId, from: holder, action, ...defined(more) };
    store.bus.publish(TOPIC.control, message);
  }
}
