/** Specification rows of the audio track. */
import { LIVE } from '../../../spec/live.js';
import { DEAD_AIR } from '../../../spec/tolerances.js';
import { hertz, kbps } from './format.js';
import { type RowText, unlessFailing, whenAnalyzed } from './row.js';

const { audio } = LIVE;

/** Ends of the bar of loudness, in LUFS. */
const LOUDNESS_SCALE = { from: -40, to: 0 } as const;

export const AUDIO_ROWS: readonly RowText[] = [
  {
    id: 'audio-bitrate',
    title: 'Bitrate',
    watched: true,
    bound: () => `${audio.bitrateKbps.preferred} kbps, at most ${audio.bitrateKbps.max} kbps`,
    observed: ({ audio_bitrate_kbps }) => (audio_bitrate_kbps === undefined ? undefined : kbps(audio_bitrate_kbps)),
    gauge: ({ audio_bitrate_kbps }) =>
      audio_bitrate_kbps === undefined ? undefined : { value: audio_bitrate_kbps, min: 0, max: audio.bitrateKbps.max },
  },
  {
    id: 'audio-level',
    title: 'Level',
    bound: () => `above ${DEAD_AIR.quietLufs.value} LUFS`,
    observed: ({ loudness_lufs, channel_lufs }, against) =>
      loudness_lufs === undefined && channel_lufs === undefined
        ? undefined
        : unlessFailing('sound in all channels', against),
  },
  {
    id: 'loudness',
    title: 'Loudness',
    bound: (health) =>
      health?.loudness_target_lufs === undefined
        ? 'the target of the operator, if one is set'
        : `${health.loudness_target_lufs} LUFS, within ${DEAD_AIR.loudnessLu.value} LU`,
    observed: ({ loudness_lufs }) => (loudness_lufs === undefined ? undefined : `${loudness_lufs} LUFS`),
    gauge: ({ loudness_lufs: value, loudness_target_lufs: target }) =>
      value === undefined || target === undefined
        ? undefined
        : {
            value,
            min: target - DEAD_AIR.loudnessLu.value,
            max: target + DEAD_AIR.loudnessLu.value,
            scale: LOUDNESS_SCALE,
          },
    isMet: ({ loudness_target_lufs }) => loudness_target_lufs !== undefined,
  },
  {
    id: 'audio-codec',
    title: 'Codec',
    bound: () => audio.codec,
    observed: ({ audio_codec }) => audio_codec,
  },
  {
    id: 'sample-rate',
    title: 'Sample rate',
    watched: true,
    bound: () => audio.sampleRatesHz.map(hertz).join(' or '),
    observed: ({ sample_rate }) => (sample_rate === undefined ? undefined : hertz(sample_rate)),
  },
  {
    id: 'channels',
    title: 'Channels',
    watched: true,
    bound: () => 'stereo',
    observed: ({ channels }) =>
      channels === undefined ? undefined : channels === 2 ? 'stereo' : channels === 1 ? 'mono' : `${channels} channels`,
  },
  {
    id: 'audio-frames',
    title: 'AAC frames',
    bound: () => 'valid',
    observed: whenAnalyzed('valid'),
  },
];
