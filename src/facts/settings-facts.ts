/** The settings of a stream as they are, and as they were when it went LIVE. */
import { defined } from '../lib/objects.js';
import type { AudioFacts } from './audio/audio-facts.js';
import type { StreamSettings } from './settings.js';
import type { VideoFacts } from './video/video-facts.js';

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
