/** 6223: pictures arrive in the decoder before they are due, at the declared bitrate and buffer. */
import { FLAW_CPB } from '../../facts/analysis-facts.js';
import { ANALYSIS } from '../../spec/tolerances.js';
import { analysisEntry, groupThousands, seconds } from '../catalogue-entry.js';
import { flawOverTime } from '../flaw-check.js';
import type { LiveRule } from '../rule.js';

export const hrdUnderflow: LiveRule = {
  entry: analysisEntry({
    code: 6223,
    type: 'HRD_UNDERFLOW',
    severity: 'warning',
    title: 'Decoder buffer runs empty',
    passes: 'Decoder buffer filled',
    row: 'bit-stream',
    clause: 'H.264 C.1, C.3',
    raisedWhen: `${ANALYSIS.underflows.value} pictures within ${seconds(ANALYSIS.windowMs.value)} are larger than what the coded picture buffer holds when they are due: at the rate and size of the NAL HRD parameters, or else of the level.`,
    clears: { how: 'window', insideMs: ANALYSIS.underflowClearMs.value },
    delay: { ms: 0, text: 'with the third such picture' },
    unit: '%',
    worst: 'highest',
    sentence:
      'A buffer of {buffer}, filled at {rate}, lacks {observed} of its size when a picture is due; it must not run empty.',
  }),
  remedy: 'Set the maximum bitrate and the buffer size to the target bitrate (CBR).',
  ...flawOverTime(FLAW_CPB),
  observed: ({ analysis }) => analysis.underflow * 100,
  passing: () => 'no underflow',
  limit: () => 0,
  placeholders: ({ analysis: { buffer } }) => ({
    buffer: `${groupThousands(Math.round(buffer.sizeBits / 1000))} kbit`,
    rate: `${groupThousands(Math.round(buffer.rateBps / 1000))} kbps`,
  }),
};
