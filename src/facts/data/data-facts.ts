/** Data that a stream carries beside pictures and sound: captions, texts, cues and time codes. Only with `analysis` on. */
import type { TimedData } from '../../media/data/timed-data.js';
import type { VideoPacket } from '../../media/packet.js';
import { DISORDER, TIMECODE } from '../measures/events.js';
import type { Measures } from '../measures/measures.js';
import { CaptionFacts } from './caption-facts.js';
import { TimecodeFacts } from './timecode-facts.js';

/** Messages of one handler. */
export interface MessageCount {
  readonly kind: TimedData['kind'];
  count: number;
  streamMs: number;
}

/** SCTE 35 sections in messages. */
export interface SpliceCount {
  count: number;
  invalid: number;
  streamMs: number;
  /** The last one: its command, or what is wrong with it. */
  last: string;
}

export class DataFacts {
  readonly captions: CaptionFacts;
  readonly pictureCodes: TimecodeFacts;
  readonly messageCodes: TimecodeFacts;
  /** By handler, of which there are few. */
  readonly messages = new Map<string, MessageCount>();
  splices: SpliceCount | undefined;
  /** Those of the last code that was compared. */
  timecode: TimecodeFacts;

  constructor({ captions, timecode }: Measures['data']) {
    this.captions = new CaptionFacts(captions);
    this.pictureCodes = new TimecodeFacts(timecode);
    this.messageCodes = new TimecodeFacts(timecode);
    this.timecode = this.pictureCodes;
  }

  /** New connection. */
  reset(): void {
    this.captions.reset();
    this.pictureCodes.reset();
    this.messageCodes.reset();
    this.messages.clear();
    this.splices = undefined;
  }

  /** A picture of the first track at stream time `nowMs`, observed with `events`. Returns further events. */
  video(packet: VideoPacket, events: number, nowMs: number, frameRate: number): number {
    if ((events & DISORDER) !== 0) this.#restart();
    const found = this.captions.frame(packet, nowMs);
    if (packet.timecode === undefined) return found;
    const stampMs = packet.timestampMs + packet.compositionTimeMs;
    return found | this.#compare(this.pictureCodes, packet.timecode, stampMs, nowMs, frameRate);
  }

  message({ kind, name, splice, timecode }: TimedData, stampMs: number, nowMs: number, frameRate: number): number {
    const known = this.messages.get(name);
    if (known === undefined) {
      this.messages.set(name, { kind, count: 1, streamMs: nowMs });
    } else {
      known.count++;
      known.streamMs = nowMs;
    }
    if (splice !== undefined) {
      this.splices ??= { count: 0, invalid: 0, streamMs: 0, last: '' };
      this.splices.count++;
      this.splices.streamMs = nowMs;
      if (splice.fault !== '') this.splices.invalid++;
      const direction = splice.isOut === undefined ? '' : splice.isOut ? ' out' : ' in';
      this.splices.last = splice.fault === '' ? `${splice.command}${direction}` : `invalid ${splice.fault}`;
    }
    return timecode === undefined ? 0 : this.#compare(this.messageCodes, timecode, stampMs, nowMs, frameRate);
  }

  #compare(
    codes: TimecodeFacts,
    code: NonNullable<VideoPacket['timecode']>,
    stampMs: number,
    nowMs: number,
    frameRate: number,
  ): number {
    if (!codes.add(code, stampMs, nowMs, frameRate)) return 0;
    this.timecode = codes;
    return TIMECODE;
  }

  #restart(): void {
    this.captions.restart();
    this.pictureCodes.restart();
    this.messageCodes.restart();
  }
}
