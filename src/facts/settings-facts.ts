/** The settings of a stream as they are, and as they were when it went LIVE. */
import { defined } from '../lib/objects.js';
import type { AudioFacts } from './audio/audio-facts.js';
import type { VideoFacts } from './video/video-facts.js';

/** Settings of a stream that must not change after it goes LIVE. Plain data; a field is absent while unknown. */
export interface StreamSettings {
  videoCodec?: string;
  /** Name with constraint flags applied: 'High', 'Constrained Baseline'. */
  videoProfile?: string;
  videoLevelTimes10?: number;
  width?: number;
  height?: number;
  /** Sample aspect ratio, width / height. */
  sampleAspect?: number;
  frameRateClass?: 30 | 60;
  audioCodec?: string;
  audioObjectType?: string;
  sampleRate?: number;
  channels?: number;
}

export type SettingName = keyof StreamSettings;

export const SETTING_NAMES: readonly SettingName[] = [
  'videoCodec',
  'videoProfile',
  'videoLevelTimes10',
  'width',
  'height',
  'sampleAspect',
  'frameRateClass',
  'audioCodec',
  'audioObjectType',
  'sampleRate',
  'channels',
];

/** Fields of `now` that are known in both and differ. */
export function differingSettings(first: StreamSettings, now: StreamSettings): SettingName[] {
  return SETTING_NAMES.filter(
    (name) => first[name] !== undefined && now[name] !== undefined && first[name] !== now[name],
  );
}

export class SettingsFacts {
  /** Reference that later settings are compared with. */
  first: StreamSettings = {};
  readonly #video: VideoFacts;
  readonly #audio: AudioFacts;

  constructor(video: VideoFacts, audio: AudioFacts) {
    this.#video = video;
    this.#audio = audio;
  }

  /** Built property by property: spreads of optional parts took 5 KB each time. */
  get now(): StreamSettings {
    const video = this.#video;
    const audio = this.#audio;
    const now: StreamSettings = {};
    if (video.codec !== '') now.videoCodec = video.codec;
    if (video.hasParameterSets && !video.awaitsPicture) {
      now.videoProfile = video.profile;
      now.videoLevelTimes10 = video.levelTimes10;
      now.width = video.width;
      now.height = video.height;
      now.sampleAspect = video.sampleAspect;
    }
    if (video.rate.class !== undefined) now.frameRateClass = video.rate.class;
    if (audio.codec !== '') now.audioCodec = audio.codec;
    if (audio.hasSettings) {
      if (audio.objectTypeName !== '') now.audioObjectType = audio.objectTypeName;
      now.sampleRate = audio.sampleRate;
      now.channels = audio.channels;
    }
    return now;
  }

  /** Call when a header has arrived: adds the settings that `first` lacks. */
  complete(): void {
    this.first = { ...this.now, ...this.first };
  }

  /** Makes the current settings the reference for later ones. */
  retake(): void {
    this.first = this.now;
  }

  /** The server gave the encoder these settings of the picture: they are the reference now. Those of the audio stay. */
  announceVideo(announced: Pick<StreamSettings, 'width' | 'height' | 'frameRateClass'>): void {
    const { audioCodec, audioObjectType, sampleRate, channels } = this.first;
    this.first = defined({ ...announced, audioCodec, audioObjectType, sampleRate, channels });
  }
}
