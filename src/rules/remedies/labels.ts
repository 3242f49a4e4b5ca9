/**
 * Names of settings as each encoder's English interface writes them, so that a remedy cannot spell one in its own way.
 * docs/decisions/0011-remedies-checked.md says what each was checked against; a label goes in here and there together.
 */

/** What to change, by catalogue code. The first sentence stands alone. */
export type Remedies = Readonly<Record<number, string>>;

export interface EncoderLabels {
  /** Windows, menus, tabs and values that lead to a setting. */
  readonly places: Readonly<Record<string, string>>;
  /** Settings that documentation or source shows by this name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Settings whose name could not be confirmed: called as the standards call them. */
  readonly standard?: Readonly<Record<string, string>>;
}

/** An encoder with two output modes: what only one of them has. */
export interface ModeLabels extends EncoderLabels {
  readonly simple: Readonly<Record<string, string>>;
  readonly advanced: Readonly<Record<string, string>>;
}

/** What H.264, AAC and RTMP call what encoders call in many ways. */
export const STANDARD = {
  address: 'address',
  videoCodec: 'video codec',
  level: 'H.264 level',
  profile: 'H.264 profile',
  resolution: 'resolution',
  frameRate: 'frame rate',
  keyFrameInterval: 'key frame interval',
  gop: 'GOP',
  videoBitrate: 'video bit rate',
  adaptiveBitrate: 'adaptive bit rate',
  rateControl: 'rate control',
  deinterlacing: 'deinterlacing',
  audioCodec: 'audio codec',
  sampleRate: 'sample rate',
  channels: 'channels',
  audioBitrate: 'audio bit rate',
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

/** The menus and the address are shown; the rows inside Video and Audio are not, so those go by the standards' terms. */
export const LARIX = {
  places: { settings: 'Settings', connections: 'Connections', video: 'Video', audio: 'Audio' },
  settings: { url: 'URL' },
  standard: STANDARD,
} as const satisfies EncoderLabels;

export const XSPLIT = { places: {}, settings: {}, standard: STANDARD } as const satisfies EncoderLabels;

/** Many makers, no common interface. */
export const HARDWARE = { places: {}, settings: {}, standard: STANDARD } as const satisfies EncoderLabels;
