/** Ingest processes that answer when the test says so. */
import type { Answered, AskChannel, Asked } from '../../src/server/cluster/ask-workers.js';

export function fakeWorkers<Question, Answer>(...ids: number[]) {
  const running = new Set(ids);
  const asked: Asked<Question>[] = [];
  const onMessage: ((id: number, message: Answered<Answer>) => void)[] = [];
  const onGone: ((id: number) => void)[] = [];
  const channel: AskChannel<Question, Answer> = {
    ids: () => [...running],
    send: () => undefined,
    sendAll: (question) => void asked.push(question),
    onMessage: (listener) => void onMessage.push(listener),
    onGone: (listener) => void onGone.push(listener),
  };
  return {
    channel,
    asked,
    /** Answers the question of this number; without one, the last. */
    answer(id: number, answer: Answer, number = asked.at(-1)?.number) {
      if (number === undefined) throw new Error('no question was sent');
      for (const listener of onMessage) listener(id, { number, answer });
    },
    end(id: number) {
      running.delete(id);
      for (const listener of onGone) listener(id);
    },
  };
}
