/** Both FLV tag parsers of one connection or file, with their state between messages. */
import type { PartialFrame } from '../../bytes/partial-frame.js';
import type { SliceList } from '../../bytes/slices.js';
import type { AudioPacket, VideoPacket } from '../packet.js';
import { AudioParser } from './audio-parser.js';
import type { TagHead } from './tag-head.js';
import { VideoParser } from './video-parser.js';

export class TagParser {
  readonly #video: VideoParser;
  readonly #audio: AudioParser;

  /** `analysis`: parse beyond what the published document needs. `isFile`: a file, which may be short. */
  constructor(options: { readonly analysis?: boolean; readonly isFile?: boolean } = {}) {
    this.#video = new VideoParser(options.analysis);
    this.#audio = new AudioParser(options.analysis, options.isFile);
  }

  /** The first packet of the last `parseVideo`; the only one unless that returned more. Check its `trackId`. */
  get video(): VideoPacket {
    return this.#video.first;
  }

  /** The first packet of the last `parseAudio`. */
  get audio(): AudioPacket {
    return this.#audio.first;
  }

  /** Parses a video body into `video`; returns the number of tracks, the others being `videoTrack(1)` and on. Never throws. */
  parseVideo(payload: SliceList, timestampMs: number): number {
    return this.#video.parse(payload, timestampMs);
  }

  /** Parses a tag from its first bytes into `video` or `audio`. False: they do not suffice (`VideoParser.parsePrefix`). */
  parsePrefix({ kind, bytes, from, to, size, timestampMs }: TagHead): boolean {
    const parser = kind === 'video' ? this.#video : this.#audio;
    return parser.parsePrefix(bytes, from, to, size, timestampMs);
  }

  /** Keeps of an arriving video message only what `parseVideo` reads (`retain-headers.ts`). False: all of it is needed. */
  retainHeaders(payload: SliceList, partial: PartialFrame): boolean {
    return this.#video.retainHeaders(payload, partial);
  }

  /** Offset of the next byte that `parseVideo` will read of a video message received as far as `payload`. */
  nextWanted(payload: SliceList, partial: PartialFrame): number {
    return this.#video.nextWanted(payload, partial);
  }

  /** Parses an audio body into `audio`; returns the number of tracks. Never throws. */
  parseAudio(payload: SliceList, timestampMs: number): number {
    return this.#audio.parse(payload, timestampMs);
  }

  /** A packet of the last multitrack message; `index` is below the result of `parseVideo`. */
  videoTrack(index: number): VideoPacket {
    return this.#video.packets[index] ?? this.video;
  }

  audioTrack(index: number): AudioPacket {
    return this.#audio.packets[index] ?? this.audio;
  }
}
