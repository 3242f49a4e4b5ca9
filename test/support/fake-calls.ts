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
  const listeners = new Map<string, (from: number, body: object) => void>();
  const gone: ((id: number) => void)[] = [];
  const log = memoryLog();
  const wire: Wire = {
    peers: (wanted) => (wanted === role ? [...running].map((id) => ({ id, role })) : []),
    send: (to, subject, body) => {
      // As over a channel: plain data arrives.
      const arrived = JSON.parse(JSON.stringify(body));
      if (subject === 'call') sent.push({ to, ...arrived });
      else answers.push(arrived);
    },
    onMessage: (subject, listener) => void listeners.set(subject, listener),
    onGone: (listener) => void gone.push(listener),
  };
  return {
    calls: new Calls(wire, log),
    log,
    /** Calls to the others. */
    sent,
    /** Answers to the others. */
    answers,
    /** Answers the last call to this process, or the one given. */
    answer(from: number, value: unknown, number = sent.findLast(({ to }) => to === from)?.number) {
      if (number === undefined) throw new Error('nothing was asked');
      listeners.get('answer')?.(from, { number, value } satisfies AnswerBody);
    },
    /** One of the others calls this process. */
    call: (from: number, body: CallBody) => listeners.get('call')?.(from, body),
    end(id: number) {
      running.delete(id);
      for (const listener of gone) listener(id);
    },
  };
}
