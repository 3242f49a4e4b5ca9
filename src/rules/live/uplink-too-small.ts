/** 6902: the network carries less than the encoder produces. */
import { SECOND } from '../../facts/measures/events.js';
import { CAUSES } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { CAUSE_SECONDS, isCause, STEP_SECONDS, uplinkNumbers } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const uplinkTooSmall: LiveRule = {
  entry: analysisEntry({
    code: 6902,
    type: 'UPLINK_TOO_SMALL',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Uplink carries less than the encoder sends',
    passes: 'Sufficient uplink',
    row: 'cause',
    explains: ['STREAM_STARVED'],
    clause: ADVICE,
    raisedWhen: `Over ${seconds(CAUSES.windowMs.value)}, less than ${CAUSES.ratio.value} s of media arrives per second, the lag grows in at least 7 of 10 seconds, no frame is missing, large frames take time in proportion to their size, and between pauses no more arrives than a full link carries.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 15_000, text: 'after the uplink is full' },
    unit: 'kbps',
    worst: 'lowest',
    sentence: 'The uplink carries {carried} of {needed} Mbit/s.',
  }),
  remedy: 'Lower the video bitrate to {target}, or use a faster or wired uplink.',
  events: SECOND,
  check: (facts) => isCause(facts, 'uplink'),
  observed: ({ delivery }) => delivery.arrivedKbps(STEP_SECONDS),
  limit: ({ delivery }) => delivery.codedKbps(CAUSE_SECONDS),
  placeholders: (facts) => uplinkNumbers(facts),
};
