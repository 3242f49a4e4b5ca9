/** Remedies for vMix: the windows that the gears at Stream and at Quality open. */

import type { Remedies } from './labels.js';
import { VMIX } from './labels.js';

const { places } = VMIX;
const names = { ...VMIX.settings, ...VMIX.standard };
const SETTINGS = `In vMix, ${places.streamingSettings}`;
const QUALITY = `${SETTINGS}, the gear at ${names.quality}`;
const LOWER_BITRATE = `${QUALITY}: lower ${names.videoBitrates} to {target}, or use a wired connection.`;

export const VMIX_REMEDIES: Remedies = {
  6101: `${SETTINGS} > ${names.url}: use the address that begins with rtmps://.`,
  6201: `${SETTINGS} > ${names.quality}: an entry that begins with H264.`,
  6202: `${QUALITY}: ${names.level} 4.1 (4.2 at 60 fps).`,
  6203: `${QUALITY}: raise ${names.level}.`,
  6204: `${QUALITY}: ${names.encodeSize} 1920x1080 or less.`,
  6205: `${QUALITY}: ${names.encodeSize} of one of these sizes.`,
  6206: `In vMix, ${places.settings} > ${places.display} > ${names.frameRate}: 30 or 60 (30 for 480p).`,
  6207: `${QUALITY}: a 16:9 ${names.encodeSize} such as 1280x720, and ${names.crop} Original.`,
  6208: `${QUALITY}: ${names.keyframeFrequency} 2 seconds.`,
  6209: `${QUALITY}: ${names.keyframeFrequency} 2 seconds.`,
  6210: `${QUALITY}: lower ${names.videoBitrates}, and ${names.strictCbr} on.`,
  6211: `${QUALITY}: higher ${names.videoBitrates}, and ${names.strictCbr} on.`,
  6212: `In vMix, turn ${names.deinterlacing} on in the settings of the interlaced input.`,
  6213: `${QUALITY}: ${names.profile} Main or Baseline.`,
  6214: `${SETTINGS}: turn ${names.hardwareEncoder} off.`,
  6215: `${QUALITY}: ${names.keyframeFrequency} 2 seconds.`,
  6216: `${SETTINGS}: one stream to this address, and no ${names.destination} that says ${places.multiBitrate}.`,
  6301: `${SETTINGS} > ${names.application}: FFMPEG, whose ${names.format} is AAC.`,
  6302: `${SETTINGS} > ${names.application}: FFMPEG, with ${names.audioBitrate} 128.`,
  6303: `In vMix, set the ${names.sampleRate} in the audio output settings to 48 kHz.`,
  6304: `${QUALITY}: ${names.channels} ${places.master}, which is stereo.`,
  6305: `${QUALITY}: ${names.audioBitrate} 128.`,
  6306: `${QUALITY}: ${names.audioBitrate} 128.`,
  6401: `${QUALITY}: a ${names.source} that shows a picture.`,
  6402: `${QUALITY}: ${names.channels} ${places.master}, and check that it carries sound.`,
  6405: `In vMix, set ${names.audioDelay} in the audio settings to 0, and the delay of each input too.`,
  6406: `${QUALITY}: lower ${names.videoBitrates}, or use a wired connection.`,
  6408: `${SETTINGS}: turn ${names.hardwareEncoder} on, or choose a faster ${names.preset}.`,
  6902: LOWER_BITRATE,
  6903: LOWER_BITRATE,
  6905: `${SETTINGS}: turn ${names.hardwareEncoder} on (NVENC), or choose a faster ${names.preset}.`,
};
