/**
 * Samples of live streams, sent by the ingest process that collects them to the media process, the only one that parses
 * untrusted media. A sample of several megabytes is a file in the data folder; the message holds only its name.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../ports/index.js';
import { type SampleProbe, SampleSkippedError } from '../../probe/deep-probe.js';
import type { StreamOpinion } from '../../probe/flv-probe.js';
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';

export const SAMPLES_SUBJECT = 'sample';

export const SAMPLE_FILES = {
  /** Concurrent files of one ingest process: as many samples as it may collect at a time. */
  pending: 3,
  /** ffprobe has 20 s, and may be busy with the samples of another process. A later response is ignored. */
  answerMs: 45_000,
  /** A sample of 8 MiB and its last packet, which is 8 MiB at most, with the sequence headers. */
  bytes: 17 * 1024 * 1024,
  /** An older file was left by an ended process. */
  leftMs: 120_000,
} as const;

const NAME = /^[0-9a-f-]{36}\.flv$/;

/** The query is the name of a file. */
export type SampleAnswer =
  | { readonly result: 'read'; readonly opinion: StreamOpinion }
  | { readonly result: 'unreadable'; readonly reason: string }
  | { readonly result: 'skipped'; readonly reason: string };

export type SamplesChannel = AskChannel<string, SampleAnswer>;

export const samplesFolder = (dataDir: string): string => join(dataDir, 'samples');

/** For an ingest process. Without a media process, `hasRoom` is false and no samples are collected. */
export class MediaSamples implements SampleProbe {
  readonly #folder: string;
  readonly #channel: SamplesChannel;
  readonly #ask: (name: string) => Promise<readonly SampleAnswer[]>;
  #pending = 0;

  constructor(folder: string, channel: SamplesChannel, answerMs: number = SAMPLE_FILES.answerMs) {
    this.#folder = folder;
    this.#channel = channel;
    this.#ask = askWorkers(channel, answerMs);
  }

  get hasRoomForSample(): boolean {
    return this.#pending < SAMPLE_FILES.pending && this.#channel.ids().length > 0;
  }

  /** @throws SampleSkippedError, Error with the reason why ffprobe could not read it */
  async sample(flv: Uint8Array): Promise<StreamOpinion> {
    if (!this.hasRoomForSample) throw new SampleSkippedError('the media process is not there, or busy');
    this.#pending++;
    const name = `${randomUUID()}.flv`;
    const path = join(this.#folder, name);
    try {
      await this.#write(path, flv);
      return opinionOf((await this.#ask(name))[0]);
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
      throw new SampleSkippedError(messageOf(error));
    }
  }
}

function opinionOf(answer: SampleAnswer | undefined): StreamOpinion {
  if (answer === undefined) throw new SampleSkippedError('the media process did not answer');
  if (answer.result === 'read') return answer.opinion;
  if (answer.result === 'unreadable') throw new Error(answer.reason);
  throw new SampleSkippedError(answer.reason);
}

/** In the media process. */
export async function answerSamples(link: RoleLink, folder: string, tools: SampleProbe, log: Log): Promise<void> {
  await removeLeftFiles(folder).catch((error: unknown) => {
    log.warn({ error, folder }, 'samples that a process left behind could not be removed');
  });
  answerQuestions<string, SampleAnswer>(link, SAMPLES_SUBJECT, (name) => probeSample(folder, name, tools));
}

/** Never rejects. */
export async function probeSample(folder: string, name: string, tools: SampleProbe): Promise<SampleAnswer> {
  if (!NAME.test(name)) return { result: 'skipped', reason: 'not the name of a sample' };
  if (!tools.hasRoomForSample) return { result: 'skipped', reason: 'the media process is busy' };
  let flv: Uint8Array;
  try {
    flv = await readSample(join(folder, name));
  } catch (error) {
    return { result: 'skipped', reason: messageOf(error) };
  }
  try {
    return { result: 'read', opinion: await tools.sample(flv) };
  } catch (error) {
    return { result: 'unreadable', reason: messageOf(error) };
  }
}

async function readSample(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > SAMPLE_FILES.bytes) throw new RangeError(`a sample of ${size} bytes is too large`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

async function removeLeftFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && Date.now() - found.mtimeMs > SAMPLE_FILES.leftMs) await rm(path, { force: true });
  }
}

const messageOf = (error: unknown): string => String(error);
