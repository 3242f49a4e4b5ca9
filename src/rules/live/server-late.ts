/** 6908: the server itself read the stream too late. */
import { SECOND } from '../../facts/measures/events.js';
import { CAUSES } from '../../spec/tolerances.js';
import { ADVICE, analysisEntry, CLEARS, seconds } from '../catalogue-entry.js';
import { isCause } from '../cause.js';
import type { LiveRule } from '../rule.js';

export const serverLate: LiveRule = {
  entry: analysisEntry({
    code: 6908,
    type: 'SERVER_LATE',
    severity: 'warning',
    judgedBy: 'arrival',
    title: 'Server was late',
    passes: 'Server in time',
    row: 'cause',
    explains: ['STREAM_STARVED', 'FASTER_THAN_REAL_TIME'],
    clause: ADVICE,
    raisedWhen: `The server ran ${seconds(CAUSES.serverLateMs.value)} or more late, by the delay of its event loop, or by what waited unread in the kernel at two looks 5 s apart (Linux).`,
    clears: CLEARS.insideWindow,
    delay: { ms: 1_100, text: 'after the delay' },
    unit: 'ms',
    worst: 'highest',
    sentence: 'The server read the stream {observed} late; up to {limit} is tolerated.',
  }),
  remedy: 'Nothing on the encoder. On the server, give it more processor time.',
  events: SECOND,
  check: (facts) => isCause(facts, 'server late'),
  observed: ({ delivery }) => delivery.lateMs,
  limit: () => CAUSES.serverLateMs.value,
};
