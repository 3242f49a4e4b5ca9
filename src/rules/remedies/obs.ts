/**
 * OBS Studio, by the names of its English settings. In the simple output mode with a custom server the key frame interval
 * cannot be set at all (x264 then takes 250 frames), so those remedies lead to the advanced mode.
 */
import type { Remedies } from './table.js';

export const OBS_REMEDIES: Remedies = {
  6101: 'In OBS, Settings > Stream > Server: use the address that begins with rtmps://.',
  6201: 'In OBS, Settings > Output > Video Encoder: choose an H.264 encoder (x264, or NVENC, QSV or AMF with H.264).',
  6202: 'In OBS, Settings > Output (Advanced) > Streaming > x264 Options: remove any "level="; hardware encoders choose it from the size.',
  6203: 'In OBS, Settings > Output (Advanced) > Streaming > x264 Options: remove any "level=".',
  6204: 'In OBS, Settings > Video > Output (Scaled) Resolution: 1920x1080 or less.',
  6205: 'In OBS, Settings > Video > Output (Scaled) Resolution: one of these sizes (852x480 counts as 854x480).',
  6206: 'In OBS, Settings > Video > Common FPS Values: 30 or 60 (30 for 480p).',
  6207: 'In OBS, Settings > Video: a 16:9 Base (Canvas) and Output (Scaled) Resolution, such as 1280x720.',
  6208: 'In OBS, Settings > Output > Output Mode: Advanced, then Streaming > Keyframe Interval: 2 s.',
  6209: 'In OBS, Settings > Output > Output Mode: Advanced, then Streaming > Keyframe Interval: 2 s.',
  6210: 'In OBS, Settings > Output: lower Video Bitrate (Advanced: Rate Control CBR and Bitrate).',
  6211: 'In OBS, Settings > Output: raise Video Bitrate; in Advanced mode set Rate Control to CBR.',
  6212: 'In OBS, right-click the source > Deinterlacing; OBS itself encodes progressive frames.',
  6213: 'In OBS, Settings > Advanced > Color Format: NV12.',
  6214: 'In OBS, Settings > Output (Advanced) > Streaming > x264 Options: remove open-gop and intra-refresh.',
  6215: 'In OBS, Settings > Output (Advanced) > Streaming > Keyframe Interval: 2 s, and x264 Options: scenecut=0.',
  6216: 'In OBS, Settings > Stream: turn multitrack video (Enhanced Broadcasting) off.',
  6301: 'In OBS, Settings > Output > Audio Encoder: AAC.',
  6302: 'In OBS, Settings > Output > Audio Encoder: FFmpeg AAC, with 96 kbps or more.',
  6303: 'In OBS, Settings > Audio > Sample Rate: 48 kHz.',
  6304: 'In OBS, Settings > Audio > Channels: Stereo.',
  6305: 'In OBS, Settings > Output > Audio Bitrate: 128 (Advanced: Audio tab, Track 1).',
  6306: 'In OBS, Settings > Output > Audio Bitrate: 128 (Advanced: Audio tab, Track 1).',
  6401: 'In OBS, check that a scene is shown and, under Settings > Output, that a Video Encoder is chosen.',
  6402: 'In OBS, check the Audio Mixer and, under Settings > Output (Advanced) > Streaming, that an Audio Track is chosen.',
  6403: 'In OBS, keep Output and Video settings as they were; stop the broadcast before changing them.',
  6405: 'In OBS, Edit > Advanced Audio Properties > Sync Offset: 0 ms for each source, then restart the stream.',
  6406: 'In OBS, lower the Video Bitrate under Settings > Output, or use a wired connection.',
  6408: 'In OBS, View > Stats shows why: lower Video Bitrate for dropped frames, a faster CPU Usage Preset or fewer FPS for skipped ones.',
};
