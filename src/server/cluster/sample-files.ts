/**
 * Samples of live streams on their way to the media process, the only one that parses untrusted media. A sample of several
 * megabytes is a file in the data folder; the message holds only its name.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SampleSkippedError } from '../../probe/deep-probe.js';
import { type AskChannel, askWorkers } from './ask-workers.js';

export const SAMPLE_FILES = {
  /** Concurrent files of one ingest process and one kind: as many samples as it may collect at a time. */
  pending: 3,
  /** ffprobe has 20 s, and may be busy with the samples of another process. A later response is ignored. */
  answerMs: 45_000,
  /** A sample of 8 MiB and its last packet, which is 8 MiB at most, with the sequence headers. */
  bytes: 17 * 1024 * 1024,
  /** An older file was left by an ended process. */
  leftMs: 120_000,
} as const;

const NAME = /^[0-9a-f-]{36}\.flv$/;

export const samplesFolder = (dataDir: string): string => join(dataDir, 'samples');

/** For an ingest process: sends samples of one kind. Without a media process, `hasRoom` is false. */
export class SampleFiles<Answer, Question = string> {
  readonly #folder: string;
  readonly #channel: AskChannel<Question, Answer>;
  readonly #ask: (question: Question) => Promise<readonly Answer[]>;
  readonly #most: number;
  #pending = 0;

  constructor(
    folder: string,
    channel: AskChannel<Question, Answer>,
    answerMs: number = SAMPLE_FILES.answerMs,
    most: number = SAMPLE_FILES.pending,
  ) {
    this.#folder = folder;
    this.#channel = channel;
    this.#ask = askWorkers(channel, answerMs);
    this.#most = most;
  }

  get hasRoom(): boolean {
    return this.#pending < this.#most && this.#channel.ids().length > 0;
  }

  /** Resolves with the response of the media process. @throws SampleSkippedError */
  async ask(flv: Uint8Array, questionOf: (name: string) => Question): Promise<Answer> {
    if (!this.hasRoom) throw new SampleSkippedError('the media process is not there, or busy');
    this.#pending++;
    const name = `${randomUUID()}.flv`;
    const path = join(this.#folder, name);
    try {
      await this.#write(path, flv);
      const [answer] = await this.#ask(questionOf(name));
      if (answer === undefined) throw new SampleSkippedError('the media process did not answer');
      return answer;
    } finally {
      this.#pending--;
      await rm(path, { force: true }).catch(() => undefined);
    }
  }

  /** A full disk is not an error of the stream. */
  async #write(path: string, flv: Uint8Array): Promise<void> {
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      await writeFile(path, flv, { mode: 0o600 });
    } catch (error) {
      throw new SampleSkippedError(String(error));
    }
  }
}

/** In the media process. @throws RangeError, the system's error */
export async function readSampleFile(folder: string, name: string): Promise<Uint8Array> {
  if (!NAME.test(name)) throw new RangeError('not the name of a sample');
  const file = await open(join(folder, name), 'r');
  try {
    const { size } = await file.stat();
    if (size > SAMPLE_FILES.bytes) throw new RangeError(`a sample of ${size} bytes is too large`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Why there is no result. */
export interface NotRead {
  readonly result: 'unreadable' | 'skipped';
  readonly reason: string;
}

/** In the media process: what `read` makes of the file. Never rejects. */
export async function answerFile<Read>(
  folder: string,
  name: string,
  hasRoom: boolean,
  read: (flv: Uint8Array) => Promise<Read>,
): Promise<Read | NotRead> {
  if (!hasRoom) return { result: 'skipped', reason: 'the media process is busy' };
  let flv: Uint8Array;
  try {
    flv = await readSampleFile(folder, name);
  } catch (error) {
    return { result: 'skipped', reason: String(error) };
  }
  try {
    return await read(flv);
  } catch (error) {
    return { result: 'unreadable', reason: String(error) };
  }
}

/** For an ingest process: the error of an answer without a result. */
export function notReadError({ result, reason }: NotRead): Error {
  return result === 'skipped' ? new SampleSkippedError(reason) : new Error(reason);
}

/** Removes what ended processes left. */
export async function removeLeftFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > SAMPLE_FILES.leftMs) await rm(path, { force: true });
  }
}
