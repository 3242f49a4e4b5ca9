/** 6802: both channels of a stereo track carry sound. */
import { AUDIO_LEVEL } from '../../facts/measures/events.js';
import { DEAD_AIR } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL, type LiveRule, PASS, SKIP, UNKNOWN } from '../rule.js';

export const audioChannelSilent: LiveRule = {
  entry: analysisEntry({
    code: 6802,
    type: 'AUDIO_CHANNEL_SILENT',
    severity: 'warning',
    title: 'One silent channel',
    passes: 'Sound in both channels',
    row: 'audio-level',
    clause: ADVICE,
    raisedWhen: `For ${seconds(DEAD_AIR.channelMs.value)}, one channel of a stereo track is below ${DEAD_AIR.silentLufs.value} LUFS while the other is above ${DEAD_AIR.quietLufs.value} LUFS. Equal channels are no fault.`,
    clears: { how: 'window', insideMs: DEAD_AIR.soundsMs.value },
    delay: { ms: DEAD_AIR.channelMs.value + 1_000, text: 'after the last sound in the channel' },
    unit: 'LUFS',
    worst: 'lowest',
    sentence: 'The {channel} channel is silent at {observed}, the other one is not; sound is above {limit}.',
  }),
  remedy: 'Set the source to mono in the audio settings of the encoder, or connect both channels of the input.',
  events: AUDIO_LEVEL,
  raiseAfter: { holdMs: DEAD_AIR.channelMs.value },
  check({ analysis: { levels } }) {
    if (!levels.isStereo) return UNKNOWN;
    const { leftLufs, rightLufs } = levels;
    if (Math.min(leftLufs, rightLufs) >= DEAD_AIR.silentLufs.value) return PASS;
    return Math.max(leftLufs, rightLufs) > DEAD_AIR.quietLufs.value ? FAIL : SKIP;
  },
  observed: ({ analysis: { levels } }) => Math.min(levels.leftLufs, levels.rightLufs),
  limit: () => DEAD_AIR.silentLufs.value,
  placeholders: ({ analysis: { levels } }) => ({ channel: levels.leftLufs < levels.rightLufs ? 'left' : 'right' }),
};
