/** Queries all processes of a role; each responds once. */
import type { RoleLink } from './link.js';
import type { WorkerChannel } from './workers.js';

/** The number distinguishes a late response from one to the current query. */
export interface Asked<Question> {
  readonly number: number;
  readonly question: Question;
}
export interface Answered<Answer> {
  readonly number: number;
  readonly answer: Answer;
}
export type AskChannel<Question, Answer> = WorkerChannel<Asked<Question>, Answered<Answer>>;

interface Pending<Answer> {
  /** Processes that have not answered yet. */
  readonly missing: Set<number>;
  readonly answers: Answer[];
  readonly done: () => void;
}

/** Of the process: a response reaches all who ask on its subject, and the number tells whose it is. */
let lastNumber = 0;

/**
 * Returns the query function. Its promise resolves with the responses once every process has responded or ended, at the
 * latest after `timeoutMs`. `onAnswer` also gets later responses.
 */
export function askWorkers<Question, Answer>(
  channel: AskChannel<Question, Answer>,
  timeoutMs: number,
  onAnswer: (id: number, answer: Answer) => void = () => undefined,
): (question: Question) => Promise<readonly Answer[]> {
  const questions = new Map<number, Pending<Answer>>();
  const settle = (number: number, id: number): void => {
    const pending = questions.get(number);
    if (pending === undefined) return;
    pending.missing.delete(id);
    if (pending.missing.size === 0) pending.done();
  };
  channel.onMessage((id, { number, answer }) => {
    onAnswer(id, answer);
    questions.get(number)?.answers.push(answer);
    settle(number, id);
  });
  channel.onGone((id) => {
    for (const number of [...questions.keys()]) settle(number, id);
  });
  return async (question) => {
    const missing = new Set(channel.ids());
    if (missing.size === 0) return [];
    const answers: Answer[] = [];
    lastNumber++;
    const number = lastNumber;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        questions.delete(number);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      questions.set(number, { missing, answers, done });
      channel.sendAll({ number, question });
    });
    return answers;
  };
}

/** In a queried process: responds to queries of one subject. `answer` must not reject. */
export function answerQuestions<Question, Answer>(
  link: RoleLink,
  subject: string,
  answer: (question: Question) => Answer | Promise<Answer>,
): void {
  link.onMessage(subject, (from, body) => {
    const { number, question } = body as Asked<Question>;
    void Promise.resolve(answer(question)).then((given) => {
      link.send(from, subject, { number, answer: given } satisfies Answered<Answer>);
    });
  });
}
