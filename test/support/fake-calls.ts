/** Other processes of one role, which answer when the test says so. */
import { type AnswerBody, type CallBody, Calls, type Wire } from '../../src/server/rpc/calls.js';
import type { Role } from '../../src/server/supervisor/messages.js';
import { memoryLog } from './store-harness.js';

export interface Sent extends CallBody {
  readonly to: number;
}

export function fakeCalls(role: Role, ...ids: number[]) {
  const running = new Set(ids);
  const sent: Sent[] = [];
  const answers: AnswerBody[] = [];
  const demanded: Role[] = [];
  const log = memoryLog();
  const wire: Wire = {
    peers: (wanted) => (wanted === role ? [...running].map((id) => ({ id, role })) : []),
    send: (to, subject, body) => {
      // As over a channel: plain data arrives.
      const arrived = JSON.parse(JSON.stringify(body));
      if (subject === 'call') sent.push({ to, ...arrived });
      else answers.push(arrived);
    },
    demand: (wanted) => void demanded.push(wanted),
    receive: () => undefined,
  };
  const calls = new Calls(wire, log);
  return {
    calls,
    log,
    /** Calls to the others. */
    sent,
    /** Answers to the others. */
    answers,
    /** Roles of which a process was called for. */
    demanded,
    /** A process is ready. */
    begin(id: number) {
      running.add(id);
      calls.meet();
    },
    /** Answers the last call to this process, or the one given. */
    answer(from: number, value: unknown, number = sent.findLast(({ to }) => to === from)?.number) {
      if (number === undefined) throw new Error('nothing was asked');
      calls.takeAnswer({ number, value });
    },
    /** One of the others calls this process. */
    call: (from: number, body: CallBody) => calls.takeCall(from, body),
    end(id: number) {
      running.delete(id);
      calls.forget(id);
    },
  };
}
