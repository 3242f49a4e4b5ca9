/**
 * Names of settings, spelled as in each encoder's English interface. docs/decisions/0011-remedies-checked.md records what
 * each was checked against; add a label to both.
 */

/** Remedies by catalogue code. The first sentence must make sense alone. */
export type Remedies = Readonly<Record<number, string>>;

export interface EncoderLabels {
  /** Windows, menus, tabs and values that lead to a setting. */
  readonly places: Readonly<Record<string, string>>;
  /** Settings whose name documentation or source code confirms. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings whose name could not be confirmed: the standards' terms. */
  readonly standard?: Readonly<Record<string, string>>;
}

/** An encoder with two output modes, and the settings that only one of them has. */
export interface ModeLabels extends EncoderLabels {
  readonly simple: Readonly<Record<string, string>>;
  readonly advanced: Readonly<Record<string, string>>;
}

/** Terms of H.264, AAC and RTMP for settings that encoders name differently. */
export const STANDARD = {
  address: 'address',
  videoCodec: 'video codec',
  level: 'H.264 level',
  profile: 'H.264 profile',
  resolution: 'resolution',
  frameRate: 'frame rate',
  keyFrameInterval: 'key frame interval',
  gop: 'GOP',
  videoBitrate: 'video bitrate',
  adaptiveBitrate: 'adaptive bitrate',
  rateControl: 'rate control',
  deinterlacing: 'deinterlacing',
  audioCodec: 'audio codec',
  sampleRate: 'sample rate',
  channels: 'channels',
  audioBitrate: 'audio bitrate',
  audioDelay: 'audio delay',
  preset: 'preset',
} as const;

export const OBS = {
  places: {
    settings: 'Settings',
    stream: 'Stream',
    output: 'Output',
    audio: 'Audio',
    video: 'Video',
    advanced: 'Advanced',
    simple: 'Simple',
    track1: 'Track 1',
    edit: 'Edit',
    advancedAudio: 'Advanced Audio Properties',
    view: 'View',
    stats: 'Stats',
  },
  settings: {
    server: 'Server',
    multitrack: 'Enable Multitrack Video',
    outputMode: 'Output Mode',
    videoEncoder: 'Video Encoder',
    audioEncoder: 'Audio Encoder',
    audioBitrate: 'Audio Bitrate',
    baseResolution: 'Base (Canvas) Resolution',
    scaledResolution: 'Output (Scaled) Resolution',
    commonFps: 'Common FPS Values',
    sampleRate: 'Sample Rate',
    channels: 'Channels',
    colorFormat: 'Color Format',
    audioMixer: 'Audio Mixer',
    syncOffset: 'Sync Offset',
    deinterlacing: 'Deinterlacing',
  },
  simple: {
    videoBitrate: 'Video Bitrate',
    custom: 'Custom Encoder Settings',
    preset: 'Encoder Preset',
  },
  advanced: {
    rateControl: 'Rate Control',
    bitrate: 'Bitrate',
    keyframeInterval: 'Keyframe Interval',
    x264Options: 'x264 Options',
    cpuPreset: 'CPU Usage Preset',
    nvencPreset: 'Preset',
    audioTrack: 'Audio Track',
  },
} as const satisfies ModeLabels;

export const STREAMLABS = {
  places: {
    settings: 'Settings',
    stream: 'Stream',
    output: 'Output',
    audio: 'Audio',
    video: 'Video',
    advanced: 'Advanced',
    simple: 'Simple',
    track1: 'Audio - Track 1',
    advancedAudio: 'Advanced Audio Settings',
  },
  settings: {
    url: 'URL',
    enhanced: 'Enhanced broadcasting',
    outputMode: 'Output Mode',
    encoder: 'Encoder',
    audioEncoder: 'Audio Encoder',
    audioBitrate: 'Audio Bitrate',
    baseResolution: 'Base (Canvas) Resolution',
    scaledResolution: 'Output (Scaled) Resolution',
    commonFps: 'Common FPS Values',
    sampleRate: 'Sample Rate (requires a restart)',
    channels: 'Channels (requires a restart)',
    colorFormat: 'Color Format',
    mixer: 'Mixer',
    syncOffset: 'Sync Offset',
    deinterlacing: 'Deinterlacing',
  },
  simple: {
    videoBitrate: 'Video Bitrate',
    custom: 'Custom Encoder Settings',
    preset: 'Encoder Preset',
  },
  advanced: {
    rateControl: 'Rate Control',
    bitrate: 'Bitrate',
    keyframeInterval: 'Keyframe Interval',
    x264Options: 'x264 Options',
    cpuPreset: 'CPU Usage Preset',
    audioTrack: 'Audio Track',
  },
} as const satisfies ModeLabels;

export const VMIX = {
  places: {
    streamingSettings: 'Streaming Settings',
    settings: 'Settings',
    display: 'Display',
    multiBitrate: 'Stream 1 Multi-Bitrate',
    master: 'Master',
  },
  settings: {
    url: 'URL',
    destination: 'Destination',
    quality: 'Quality',
    application: 'Application',
    hardwareEncoder: 'Use Hardware Encoder',
    videoBitrates: 'Video Bit Rates',
    encodeSize: 'Encode Size',
    audioBitrate: 'Audio Bit Rate',
    source: 'Source',
    profile: 'Profile',
    level: 'Level',
    preset: 'Preset',
    crop: 'Aspect Ratio / Crop',
    format: 'Format',
    channels: 'Channels',
    keyframeFrequency: 'Keyframe Frequency',
    strictCbr: 'Strict CBR',
    frameRate: 'Frame Rate',
    audioDelay: 'Default Input Audio Delay',
  },
  standard: { deinterlacing: STANDARD.deinterlacing, sampleRate: STANDARD.sampleRate },
} as const satisfies EncoderLabels;

export const WIRECAST = {
  places: { outputSettings: 'Output Settings', encoding: 'Encoding', details: 'View Details' },
  settings: {
    destination: 'Destination',
    address: 'Address',
    audioTrackSelection: 'Audio Track Selection',
    videoEncoding: 'Video Encoding',
    encoder: 'Encoder',
    width: 'Width',
    height: 'Height',
    framesPerSecond: 'Frames per second',
    averageBitrate: 'Average bit rate',
    quality: 'Quality',
    x264Options: 'x264 command line options',
    profile: 'Profile',
    keyFrameEvery: 'Key frame every',
    strictConstant: 'Strict Constant Bitrate',
    audioEncoding: 'Audio Encoding (AAC)',
    channels: 'Channels',
    targetBitrate: 'Target bit rate',
    sampleRate: 'Sample rate',
  },
  standard: { deinterlacing: STANDARD.deinterlacing, audioDelay: STANDARD.audioDelay },
} as const satisfies EncoderLabels;

/** Menus and address are confirmed; the rows inside Video and Audio are not, so those use the standards' terms. */
export const LARIX = {
  places: { settings: 'Settings', connections: 'Connections', video: 'Video', audio: 'Audio' },
  settings: { url: 'URL' },
  standard: STANDARD,
} as const satisfies EncoderLabels;

export const XSPLIT = { places: {}, settings: {}, standard: STANDARD } as const satisfies EncoderLabels;

/** Many vendors without a common interface. */
export const HARDWARE = { places: {}, settings: {}, standard: STANDARD } as const satisfies EncoderLabels;
