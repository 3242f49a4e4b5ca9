/** An example of a rule that a detector raises. */
import { CLEARS, entry } from '../../../src/rules/catalogue-entry.js';
import type { Rule } from '../../../src/rules/rule.js';

export const testTone: Rule = {
  entry: entry({
    code: 6698,
    type: 'AUDIO_TEST_TONE',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Test tone left on',
    passes: 'No test tone',
    row: 'audio-level',
    clause: 'Not in the published document: a detector measures the sound at 1 kHz',
    raisedWhen: 'Nine tenths of the sound of two seconds are a tone of 1 kHz.',
    clears: CLEARS.point,
    delay: { ms: 2_000, text: 'of sound, and the time to decode it' },
    sentence: 'The sound is a test tone of 1 kHz ({observed}).',
    subcode: undefined,
    source: 'service',
  }),
  remedy: 'Switch the tone generator off.',
};
