/**
 * Remedies for OBS Studio in both output modes. In Simple, x264 defaults to 250 frames between key frames unless the custom
 * encoder settings override it, other encoders have no such setting, and rate control is always CBR.
 */

import type { Remedies } from './labels.js';
import { OBS } from './labels.js';

const { places, settings, simple, advanced } = OBS;
const SETTINGS = `In OBS, ${places.settings}`;
const OUTPUT = `${SETTINGS} > ${places.output}`;
const VIDEO = `${SETTINGS} > ${places.video}`;
const X264 = `${advanced.x264Options} (${places.advanced}) or ${simple.custom} (${places.simple})`;
const KEY_FRAMES = `${OUTPUT}: ${settings.outputMode} ${places.advanced}, ${advanced.keyframeInterval} 2 s. In ${places.simple} with x264: ${simple.custom} keyint=60.`;
const AUDIO_RATE = `${OUTPUT}: ${settings.audioBitrate} 128 (${places.advanced}: ${places.audio} > ${places.track1}).`;

export const OBS_REMEDIES: Remedies = {
  6101: `${SETTINGS} > ${places.stream} > ${settings.server}: use the address that begins with rtmps://.`,
  6201: `${OUTPUT} > ${settings.videoEncoder}: x264, or a hardware encoder with H.264 in its name.`,
  6202: `${VIDEO} > ${settings.scaledResolution}: 1920x1080 or less. Remove any level= from ${X264}.`,
  6203: `${OUTPUT}: remove any level= from ${X264}.`,
  6204: `${VIDEO} > ${settings.scaledResolution}: 1920x1080 or less.`,
  6205: `${VIDEO} > ${settings.scaledResolution}: one of these sizes (852x480 counts as 854x480).`,
  6206: `${VIDEO} > ${settings.commonFps}: 30 or 60 (30 for 480p).`,
  6207: `${VIDEO}: a 16:9 ${settings.baseResolution} and ${settings.scaledResolution}, such as 1280x720.`,
  6208: KEY_FRAMES,
  6209: KEY_FRAMES,
  6210: `${OUTPUT}: a lower ${simple.videoBitrate} (${places.simple}), or ${advanced.rateControl} CBR and a lower ${advanced.bitrate} (${places.advanced}).`,
  6211: `${OUTPUT}: a higher ${simple.videoBitrate} (${places.simple}), or ${advanced.rateControl} CBR and a higher ${advanced.bitrate} (${places.advanced}).`,
  6212: `In OBS, right-click the source > ${settings.deinterlacing}; OBS itself encodes progressive frames.`,
  6213: `${SETTINGS} > ${places.advanced} > ${settings.colorFormat}: NV12.`,
  6214: `${OUTPUT}: no open-gop in ${X264}.`,
  6215: `${OUTPUT}: ${advanced.keyframeInterval} 2 s, and scenecut=0 in ${X264}.`,
  6216: `${SETTINGS} > ${places.stream}: turn ${settings.multitrack} off.`,
  6301: `${OUTPUT} > ${settings.audioEncoder}: AAC.`,
  6302: `${OUTPUT} > ${settings.audioEncoder}: FFmpeg AAC (${places.advanced}), or ${settings.audioBitrate} 128 (${places.simple}).`,
  6303: `${SETTINGS} > ${places.audio} > ${settings.sampleRate}: 48 kHz.`,
  6304: `${SETTINGS} > ${places.audio} > ${settings.channels}: Stereo.`,
  6305: AUDIO_RATE,
  6306: AUDIO_RATE,
  6401: `In OBS, check that a scene is shown and, under ${places.settings} > ${places.output}, that a ${settings.videoEncoder} is chosen.`,
  6402: `In OBS, check the ${settings.audioMixer} and, under ${places.settings} > ${places.output} (${places.advanced}), that an ${advanced.audioTrack} is chosen.`,
  6403: `In OBS, keep ${places.output} and ${places.video} settings as they were; stop the broadcast before changing them.`,
  6405: `In OBS, ${places.edit} > ${places.advancedAudio} > ${settings.syncOffset}: 0 ms for each source, then restart the stream.`,
  6406: `${OUTPUT}: a lower ${simple.videoBitrate} (${places.simple}) or ${advanced.bitrate} (${places.advanced}), or use a wired connection.`,
  6408: `In OBS, ${places.view} > ${places.stats}: lower the bitrate for dropped frames; for skipped ones a faster ${simple.preset} (${places.simple}) or ${advanced.cpuPreset} (${places.advanced}).`,
  6902: `${OUTPUT}: lower ${simple.videoBitrate} (${places.simple}) or ${advanced.bitrate} (${places.advanced}) to {target}, or use a wired connection.`,
  6903: `${OUTPUT}: lower ${simple.videoBitrate} (${places.simple}) or ${advanced.bitrate} (${places.advanced}) to {target}, or use a wired connection.`,
  6905: `${OUTPUT}: a faster ${simple.preset} (${places.simple}) or ${advanced.cpuPreset} (${places.advanced}); with NVENC, ${advanced.nvencPreset} P1 to P3.`,
  6906: `${VIDEO}: a lower ${settings.commonFps} or ${settings.baseResolution}; fewer or simpler sources.`,
};
