/** Other encoders with settings of their own. Only what their documentation names is named; the rest is the general remedy. */
import type { Remedies } from './table.js';

/** Streamlabs Desktop has the output settings of OBS. */
export const STREAMLABS_REMEDIES: Remedies = {
  6101: 'In Streamlabs Desktop, Settings > Stream > URL: use the address that begins with rtmps://.',
  6201: 'In Streamlabs Desktop, Settings > Output > Encoder: choose an H.264 encoder.',
  6204: 'In Streamlabs Desktop, Settings > Video > Output (Scaled) Resolution: 1920x1080 or less.',
  6205: 'In Streamlabs Desktop, Settings > Video > Output (Scaled) Resolution: one of these sizes.',
  6206: 'In Streamlabs Desktop, Settings > Video > Common FPS Values: 30 or 60 (30 for 480p).',
  6207: 'In Streamlabs Desktop, Settings > Video: 16:9 for Base (Canvas) and Output (Scaled) Resolution.',
  6208: 'In Streamlabs Desktop, Settings > Output: Output Mode Advanced, then Keyframe Interval: 2 s.',
  6209: 'In Streamlabs Desktop, Settings > Output: Output Mode Advanced, then Keyframe Interval: 2 s.',
  6210: 'In Streamlabs Desktop, Settings > Output: lower Video Bitrate (Advanced: Rate Control CBR).',
  6211: 'In Streamlabs Desktop, Settings > Output: raise Video Bitrate (Advanced: Rate Control CBR).',
  6213: 'In Streamlabs Desktop, Settings > Advanced > Color Format: NV12.',
  6303: 'In Streamlabs Desktop, Settings > Audio > Sample Rate: 48khz.',
  6304: 'In Streamlabs Desktop, Settings > Audio > Channels: Stereo.',
  6305: 'In Streamlabs Desktop, Settings > Output > Audio Bitrate: 128.',
  6306: 'In Streamlabs Desktop, Settings > Output > Audio Bitrate: 128.',
  6405: 'In Streamlabs Desktop, Advanced Audio Settings > Sync Offset: 0 for each source.',
};

const VMIX_QUALITY = 'In vMix, the gear beside Stream, then the gear beside Quality';

export const VMIX_REMEDIES: Remedies = {
  6202: `${VMIX_QUALITY}: Level 4.1 (4.2 at 60 fps).`,
  6203: `${VMIX_QUALITY}: raise Level.`,
  6204: `${VMIX_QUALITY}: a size of 1920x1080 or less.`,
  6205: `${VMIX_QUALITY}: one of these sizes.`,
  6208: `${VMIX_QUALITY}: key frames every 2 seconds.`,
  6209: `${VMIX_QUALITY}: key frames every 2 seconds.`,
  6210: `${VMIX_QUALITY}: a lower Video Bit Rate.`,
  6211: `${VMIX_QUALITY}: a higher Video Bit Rate.`,
  6216: `${VMIX_QUALITY}: enable one bit rate only.`,
  6301: 'In vMix, use FFMPEG as the streaming application: its audio is AAC.',
  6305: `${VMIX_QUALITY}: Audio Bit Rate 128.`,
  6306: `${VMIX_QUALITY}: Audio Bit Rate 128.`,
};

const WIRECAST_PRESET = 'In Wirecast, Output > Output Settings > Edit encoder preset';

export const WIRECAST_REMEDIES: Remedies = {
  6201: `${WIRECAST_PRESET}: encoder x264 or another H.264 one.`,
  6204: `${WIRECAST_PRESET}: Width 1920 and Height 1080, or less.`,
  6205: `${WIRECAST_PRESET}: Width and Height of one of these sizes.`,
  6206: `${WIRECAST_PRESET}: Frames per second 30 or 60.`,
  6207: `${WIRECAST_PRESET}: Width and Height in 16:9, such as 1280 and 720.`,
  6208: `${WIRECAST_PRESET}: Key Frame Every 60 frames at 30 fps (120 at 60 fps).`,
  6209: `${WIRECAST_PRESET}: Key Frame Every 60 frames at 30 fps (120 at 60 fps).`,
  6210: `${WIRECAST_PRESET}: a lower Average bit rate.`,
  6211: `${WIRECAST_PRESET}: a higher Average bit rate.`,
  6301: `${WIRECAST_PRESET}: audio encoding AAC.`,
  6303: `${WIRECAST_PRESET}: audio Sample Rate 48 kHz.`,
  6304: `${WIRECAST_PRESET}: audio Channels Stereo.`,
  6305: `${WIRECAST_PRESET}: audio Target Bit Rate 128.`,
  6306: `${WIRECAST_PRESET}: audio Target Bit Rate 128.`,
};

export const LARIX_REMEDIES: Remedies = {
  6101: 'In Larix, Settings > Connections: use the address that begins with rtmps://.',
  6201: 'In Larix, Settings > Video: choose AVC (H.264) as the format.',
  6204: 'In Larix, Settings > Video > Resolution: 1920x1080 or less.',
  6205: 'In Larix, Settings > Video > Resolution: one of these sizes.',
  6206: 'In Larix, Settings > Video > Frame rate: 30 or 60 (30 for 480p).',
  6207: 'In Larix, hold the phone upright only if the picture is to be upright: Settings > Video > Resolution is 16:9 in landscape.',
  6208: 'In Larix, Settings > Video: set the key frame distance to 2 seconds.',
  6209: 'In Larix, Settings > Video: set the key frame distance to 2 seconds.',
  6210: 'In Larix, Settings > Video > Bitrate: a lower value.',
  6211: 'In Larix, Settings > Video > Bitrate: a higher value, and adaptive bitrate off.',
  6303: 'In Larix, Settings > Audio > Sample rate: 48000.',
  6304: 'In Larix, Settings > Audio: two channels (Stereo).',
  6305: 'In Larix, Settings > Audio > Bitrate: 128 Kbps.',
  6306: 'In Larix, Settings > Audio > Bitrate: 128 Kbps.',
};

const XSPLIT_OUTPUT = 'In XSplit, Broadcast, the gear beside the channel, Video Encoding';

export const XSPLIT_REMEDIES: Remedies = {
  6201: `${XSPLIT_OUTPUT}: an H.264 codec such as x264.`,
  6208: `${XSPLIT_OUTPUT}: keyframe interval 2 seconds.`,
  6209: `${XSPLIT_OUTPUT}: keyframe interval 2 seconds.`,
  6210: `${XSPLIT_OUTPUT}: CBR with a lower bitrate.`,
  6211: `${XSPLIT_OUTPUT}: CBR with a higher bitrate.`,
};

/** Their menus differ too much; the words are those that most of them use. */
export const HARDWARE_REMEDIES: Remedies = {
  6201: 'On the encoder, set the video codec to H.264 (AVC), not H.265 (HEVC).',
  6205: 'On the encoder, set the stream (not the input) resolution to one of these sizes.',
  6208: 'On the encoder, set the GOP or I-frame interval to 2 seconds: 60 frames at 30 fps, 120 at 60 fps.',
  6209: 'On the encoder, set the GOP or I-frame interval to 2 seconds: 60 frames at 30 fps, 120 at 60 fps.',
  6210: 'On the encoder, set rate control to CBR and lower the video bit rate.',
  6211: 'On the encoder, set rate control to CBR and raise the video bit rate.',
  6212: 'On the encoder, turn deinterlacing on, or feed it a progressive signal.',
  6302: 'On the encoder, set audio to AAC-LC, not HE-AAC (AAC+).',
  6402: 'On the encoder, choose the audio input that carries sound (embedded or analogue).',
};
