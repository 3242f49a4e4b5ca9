/** Remedies for Streamlabs Desktop: OBS output settings in other windows. Custom Encoder Settings need advanced ones enabled. */

import type { Remedies } from './labels.js';
import { STREAMLABS } from './labels.js';

const { places, settings, simple, advanced } = STREAMLABS;
const NAME = 'In Streamlabs Desktop';
const SETTINGS = `${NAME}, ${places.settings}`;
const OUTPUT = `${SETTINGS} > ${places.output}`;
const VIDEO = `${SETTINGS} > ${places.video}`;
const X264 = `${advanced.x264Options} (${places.advanced}) or ${simple.custom} (${places.simple})`;
const KEY_FRAMES = `${OUTPUT}: ${settings.outputMode} ${places.advanced}, ${advanced.keyframeInterval} 2. In ${places.simple} with x264: ${simple.custom} keyint=60.`;
const AUDIO_RATE = `${OUTPUT}: ${settings.audioBitrate} 128 (${places.advanced}: ${places.track1}).`;
const LOWER_BITRATE = `${OUTPUT}: lower ${simple.videoBitrate} (${places.advanced}: ${advanced.bitrate}) to {target}, or use a cable.`;

export const STREAMLABS_REMEDIES: Remedies = {
  6101: `${SETTINGS} > ${places.stream} > ${settings.url}: use the address that begins with rtmps://.`,
  6201: `${OUTPUT} > ${settings.encoder}: x264, or a hardware encoder with H.264 in its name.`,
  6202: `${VIDEO} > ${settings.scaledResolution}: 1920x1080 or less; no level= in ${X264}.`,
  6203: `${OUTPUT}: remove any level= from ${X264}.`,
  6204: `${VIDEO} > ${settings.scaledResolution}: 1920x1080 or less.`,
  6205: `${VIDEO} > ${settings.scaledResolution}: one of these sizes.`,
  6206: `${VIDEO} > ${settings.commonFps}: 30 or 60 (30 for 480p).`,
  6207: `${VIDEO}: 16:9 for ${settings.baseResolution} and ${settings.scaledResolution}.`,
  6208: KEY_FRAMES,
  6209: KEY_FRAMES,
  6210: `${OUTPUT}: a lower ${simple.videoBitrate} (${places.simple}), or ${advanced.rateControl} CBR and a lower ${advanced.bitrate} (${places.advanced}).`,
  6211: `${OUTPUT}: a higher ${simple.videoBitrate} (${places.simple}), or ${advanced.rateControl} CBR and a higher ${advanced.bitrate} (${places.advanced}).`,
  6212: `${NAME}, right-click the source > ${settings.deinterlacing}.`,
  6213: `${SETTINGS} > ${places.advanced} > ${settings.colorFormat}: NV12.`,
  6214: `${OUTPUT}: no open-gop in ${X264}.`,
  6215: `${OUTPUT}: ${advanced.keyframeInterval} 2, and scenecut=0 in ${X264}.`,
  6216: `${NAME}, turn ${settings.enhanced} off before going live.`,
  6301: `${OUTPUT} > ${settings.audioEncoder}: AAC.`,
  6302: `${OUTPUT}: ${settings.audioBitrate} 128; at low rates the CoreAudio encoder takes HE-AAC.`,
  6303: `${SETTINGS} > ${places.audio} > ${settings.sampleRate}: 48khz.`,
  6304: `${SETTINGS} > ${places.audio} > ${settings.channels}: Stereo.`,
  6305: AUDIO_RATE,
  6306: AUDIO_RATE,
  6401: `${NAME}, check that a scene is shown and, under ${places.settings} > ${places.output}, that an ${settings.encoder} is chosen.`,
  6402: `${NAME}, check the ${settings.mixer} and, under ${places.settings} > ${places.output} (${places.advanced}), that an ${advanced.audioTrack} is chosen.`,
  6405: `${NAME}, ${places.advancedAudio} > ${settings.syncOffset}: 0 for each source.`,
  6406: `${OUTPUT}: a lower ${simple.videoBitrate} (${places.simple}) or ${advanced.bitrate} (${places.advanced}), or use a wired connection.`,
  6408: `${OUTPUT}: a faster ${simple.preset} (${places.simple}) or ${advanced.cpuPreset} (${places.advanced}), or a lower frame rate.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `${OUTPUT}: a faster ${simple.preset} (${places.simple}) or ${advanced.cpuPreset} (${places.advanced}), or a lower frame rate.`,
  6906: `${VIDEO}: a lower ${settings.commonFps} or ${settings.baseResolution}; fewer or simpler sources.`,
};
