/** 6821: captions that were there stay. */
import { CAPTIONS as CAPTIONED, VIDEO_BEAT } from '../../facts/measures/events.js';
import { CAPTIONS } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, seconds } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS, PASS_NOW, SKIP } from '../rule.js';

export const captionsLost: LiveRule = {
  entry: analysisEntry({
    code: 6821,
    type: 'CAPTIONS_LOST',
    severity: 'info',
    title: 'Captions are lost',
    passes: 'Captions continue',
    row: 'data-tracks',
    clause: ADVICE,
    raisedWhen: `After closed captions with text (CEA-608 or CEA-708): ${seconds(CAPTIONS.paddingMs.value)} of padding alone, or ${seconds(CAPTIONS.absentMs.value)} without captions where nine tenths of the pictures of ${seconds(CAPTIONS.absentMs.value)} had them.`,
    clears: { how: 'window', insideMs: 0 },
    delay: { ms: CAPTIONS.paddingMs.value + 200, text: 'after the last caption' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The stream had captions; there are none for {observed}, and pauses up to {limit} are usual.',
  }),
  remedy:
    'Check the caption source and that the encoder still inserts captions. If they ended as planned, nothing needs to change.',
  events: CAPTIONED | VIDEO_BEAT,
  failsOn: VIDEO_BEAT,
  check({ data: { captions } }, events) {
    if (has(events, CAPTIONED)) return PASS_NOW;
    if (captions.isLost) return FAIL_NOW;
    return captions.hasLived ? PASS : SKIP;
  },
  observed: ({ data: { captions } }) => captions.lostMs,
  limit: ({ data: { captions } }) => captions.boundMs,
};
