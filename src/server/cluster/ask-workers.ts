/** One question to all ingest processes, each of which answers it once. */
import type { RoleLink } from './link.js';
import { channelToWeb, type WorkerChannel } from './workers.js';

/** The number tells a late answer from one to the current question. */
export interface Asked<Question> {
  readonly number: number;
  readonly question: Question;
}
export interface Answered<Answer> {
  readonly number: number;
  readonly answer: Answer;
}
export type AskChannel<Question, Answer> = WorkerChannel<Asked<Question>, Answered<Answer>>;

interface Pending {
  /** Processes that have not answered yet. */
  readonly missing: Set<number>;
  readonly done: () => void;
}

/**
 * Returns the function that asks. Its promise resolves once every process has answered or ended, at the latest after
 * `timeoutMs`. `onAnswer` also gets answers that come later than that.
 */
export function askWorkers<Question, Answer>(
  channel: AskChannel<Question, Answer>,
  timeoutMs: number,
  onAnswer: (id: number, answer: Answer) => void = () => undefined,
): (question: Question) => Promise<void> {
  const questions = new Map<number, Pending>();
  let lastNumber = 0;
  const settle = (number: number, id: number): void => {
    const pending = questions.get(number);
    if (pending === undefined) return;
    pending.missing.delete(id);
    if (pending.missing.size === 0) pending.done();
  };
  channel.onMessage((id, { number, answer }) => {
    onAnswer(id, answer);
    settle(number, id);
  });
  channel.onGone((id) => {
    for (const number of [...questions.keys()]) settle(number, id);
  });
  return async (question) => {
    const missing = new Set(channel.ids());
    if (missing.size === 0) return;
    lastNumber++;
    const number = lastNumber;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        questions.delete(number);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      questions.set(number, { missing, done });
      channel.sendAll({ number, question });
    });
  };
}

/** In an ingest process: answers the questions of one subject. */
export function answerQuestions<Question, Answer>(
  link: RoleLink,
  subject: string,
  answer: (question: Question) => Answer | Promise<Answer>,
): void {
  const send = channelToWeb<Asked<Question>, Answered<Answer>>(link, subject, ({ number, question }) => {
    void Promise.resolve(answer(question)).then((given) => send({ number, answer: given }));
  });
}
