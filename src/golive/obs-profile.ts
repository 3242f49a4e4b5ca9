/**
 * An OBS profile that meets the specification, for *Profile > Import*: address, key and settings for every OBS since 28. OBS 30.2 and
 * newer also ask the server before each stream. Pure: names and contents of its files.
 */
import { LIVE, type LiveProfile } from '../spec/live.js';
import { targetKbps } from './profile-choice.js';

export interface ProfileTarget {
  readonly liveVideoId: string;
  /** `rtmps://host:port/live/` */
  readonly streamUrlBase: string;
  readonly key: string;
  /** The address that OBS 30.2 and newer ask for their settings. */
  readonly goLiveUrl: string;
}

export interface ProfileFile {
  /** `NAME/basic.ini` */
  readonly path: string;
  readonly text: string;
}

export interface EncoderSettings {
  readonly width: number;
  readonly height: number;
  readonly fps: number;
  readonly videoKbps: number;
  readonly audioKbps: number;
  readonly keyFrameSeconds: number;
}

const SAMPLE_RATE = Math.max(...LIVE.audio.sampleRatesHz);

export function settingsOf(profile: LiveProfile, videoKbps = targetKbps(profile)): EncoderSettings {
  const { min, max } = profile.videoBitrateKbps;
  return {
    width: profile.width,
    height: profile.height,
    fps: profile.fps ?? 30,
    videoKbps: Math.min(max, Math.max(min, videoKbps)),
    audioKbps: LIVE.audio.bitrateKbps.preferred,
    keyFrameSeconds: LIVE.keyFrameInterval.recommendedMs / 1000,
  };
}

/** The folder that OBS imports, an entry for OBS's own list of services, and what to click. */
export function profileFiles(target: ProfileTarget, settings: EncoderSettings): readonly ProfileFile[] {
  const name = `Airlock-${target.liveVideoId}`;
  return [
    { path: `${name}/basic.ini`, text: basicIni(name, settings) },
    { path: `${name}/service.json`, text: json(serviceOf(target)) },
    { path: `${name}/streamEncoder.json`, text: json(encoderOf(settings)) },
    { path: 'services-entry.json', text: json(servicesEntry(target)) },
    { path: 'README.txt', text: readMe(name) },
  ];
}

function basicIni(name: string, { width, height, fps, videoKbps, audioKbps }: EncoderSettings): string {
  return ini({
    General: { Name: name },
    // Asks the server for settings (OBS 30.2 and newer).
    Stream1: { EnableMultitrackVideo: true, IgnoreRecommended: true },
    Output: { Mode: 'Advanced', Reconnect: true, RetryDelay: 2, MaxRetries: 25 },
    AdvOut: {
      Encoder: 'obs_x264',
      TrackIndex: 1,
      Track1Bitrate: audioKbps,
      Rescale: false,
      ApplyServiceSettings: false,
    },
    // For a user who switches to the simple mode.
    SimpleOutput: { VBitrate: videoKbps, ABitrate: audioKbps, StreamEncoder: 'x264' },
    Video: { BaseCX: width, BaseCY: height, OutputCX: width, OutputCY: height, FPSType: 0, FPSCommon: fps },
    Audio: { SampleRate: SAMPLE_RATE, ChannelSetup: 'Stereo' },
  });
}

function ini(sections: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>): string {
  return Object.entries(sections)
    .map(([name, values]) => {
      const lines = Object.entries(values).map(([key, value]) => `${key}=${value}\n`);
      return `[${name}]\n${lines.join('')}`;
    })
    .join('\n');
}

/**
 * A service that OBS does not list keeps these settings. The real address, not `auto`: older versions connect to it, and newer
 * ones have a target when the user continues without the server's settings.
 */
function serviceOf({ streamUrlBase, key, goLiveUrl }: ProfileTarget): object {
  return {
    type: 'rtmp_common',
    settings: {
      service: 'Airlock',
      server: streamUrlBase.replace(/\/+$/, ''),
      key,
      bwtest: false,
      multitrack_video_configuration_url: goLiveUrl,
      multitrack_video_name: 'Airlock',
    },
  };
}

function encoderOf({ videoKbps, keyFrameSeconds }: EncoderSettings): object {
  return {
    rate_control: 'CBR',
    bitrate: videoKbps,
    keyint_sec: keyFrameSeconds,
    preset: 'veryfast',
    profile: 'high',
    bf: 2,
    x264opts: 'scenecut=0',
  };
}

/** For `services` in OBS's services.json (schema version 5); without a key. */
function servicesEntry({ streamUrlBase, goLiveUrl }: Omit<ProfileTarget, 'key' | 'liveVideoId'>): object {
  return {
    name: 'Airlock',
    common: false,
    servers: [{ name: 'Default', url: streamUrlBase.replace(/\/+$/, '') }],
    supported_video_codecs: ['h264'],
    supported_audio_codecs: ['aac'],
    recommended: {
      keyint: LIVE.keyFrameInterval.recommendedMs / 1000,
      'max video bitrate': Math.max(...LIVE.profiles.map((row) => row.videoBitrateKbps.max)),
      'max audio bitrate': LIVE.audio.bitrateKbps.preferred,
      x264opts: 'scenecut=0',
    },
    multitrack_video_configuration_url: goLiveUrl,
    multitrack_video_name: 'Airlock',
  };
}

function readMe(name: string): string {
  return [
    `1. Unpack this archive.`,
    `2. In OBS: Profile > Import, and select the folder ${name}.`,
    `3. Profile > ${name}, then Start Streaming.`,
    '',
    'The folder contains the stream key: do not pass it on.',
    'Changing anything in Settings > Stream removes the address that OBS 30.2 and newer ask for their settings; import the profile again.',
    'services-entry.json is an entry for the list of services that comes with OBS; it contains no key.',
    '',
  ].join('\r\n');
}

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;
