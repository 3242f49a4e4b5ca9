/** Checks of rules on faults that a single frame shows (`AnalysisFacts.flaws`). */
import { hasFlaw } from '../facts/analysis-facts.js';
import { FLAW, KEY_FRAME, VIDEO_BEAT } from '../facts/measures/events.js';
import { FAIL_NOW, has, type LiveRule, type Outcome, PASS, SKIP } from './rule.js';

type FlawCheck = Pick<LiveRule, 'events' | 'failsOn' | 'check'>;

/** Passes at each key frame without the flaw. */
export function flawUntilKeyFrame(flaw: number): FlawCheck {
  return { events: FLAW | KEY_FRAME, failsOn: FLAW, check: checkOf(flaw, KEY_FRAME) };
}

/** Passes while frames arrive without the flaw. */
export function flawOverTime(flaw: number, beat = VIDEO_BEAT): FlawCheck {
  return { events: FLAW | beat, failsOn: FLAW, check: checkOf(flaw, beat) };
}

function checkOf(flaw: number, passing: number): LiveRule['check'] {
  return ({ analysis, video }, events): Outcome => {
    if (has(events, FLAW) && hasFlaw(analysis, flaw)) return FAIL_NOW;
    return has(events, passing) && video.codec === 'avc1' ? PASS : SKIP;
  };
}
