/**
 * Calls to the media process, which alone parses untrusted media. A sample of several megabytes is a file in the
 * data folder; the call holds only its name.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LivePictures } from '../../detection/live-pictures.js';
import type { SoundSample } from '../../detection/sound-tap.js';
import type { Checked, SoundComparer } from '../../detection/sound-taps.js';
import type { MatchClip, MatchPiece, PictureDecoding, StillDecoding } from '../../ports/index.js';
import { type SampleProbe, SampleSkippedError } from '../../probe/deep-probe.js';
import type { StreamOpinion } from '../../probe/flv-probe.js';
import type { MatchDetails } from '../../spec/error-record.js';
import type { Calls } from './calls.js';
import type { Handlers, MediaCalls, NotRead } from './contract.js';

export const SAMPLE_FILES = {
  /** A sample of 8 MiB and its last packet, which is 8 MiB at most, with the sequence headers. */
  bytes: 17 * 1024 * 1024,
  /** A clip: 20 s at 22,050 Hz are 0.9 MB. */
  clipBytes: 4 * 1024 * 1024,
  /** An older file was left by an ended process. */
  leftMs: 120_000,
} as const;

const SAMPLE_NAME = /^[0-9a-f-]{36}\.flv$/;
const CLIP_NAME = /^[0-9a-f-]{36}\.wav$/;
const BUSY = 'The media process is busy or does not start. Try again later.';

export const samplesFolder = (dataDir: string): string => join(dataDir, 'samples');

/** The media process, for an ingest process: it is started by a call. */
export class MediaProcess implements SampleProbe, PictureDecoding, StillDecoding, SoundComparer {
  readonly #calls: Calls;
  readonly #folder: string;

  constructor(calls: Calls, folder: string) {
    this.#calls = calls;
    this.#folder = folder;
  }

  get hasRoomForSample(): boolean {
    return this.#calls.hasPlace('media', 'sample');
  }

  get hasRoomForPicture(): boolean {
    return this.#calls.hasPlace('media', 'picture');
  }

  get hasRoomForStill(): boolean {
    return this.#calls.hasPlace('media', 'still');
  }

  /** For a sample of sound. */
  get hasRoom(): boolean {
    return this.#calls.hasPlace('media', 'sound');
  }

  /** @throws SampleSkippedError, Error with the reason why ffprobe could not read it */
  async sample(flv: Uint8Array): Promise<StreamOpinion> {
    const answer = await this.#withFile('sample', flv, (file) => this.#calls.askOne('media', 'sample', file));
    return resultOf(answer).opinion;
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  async picture(flv: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#withFile('picture', flv, (file) => this.#calls.askOne('media', 'picture', file));
    return Buffer.from(resultOf(answer).base64, 'base64');
  }

  /** @throws SampleSkippedError, Error with the reason why ffmpeg could not decode it */
  async still(flv: Uint8Array): Promise<Uint8Array> {
    const answer = await this.#withFile('still', flv, (file) => this.#calls.askOne('media', 'still', file));
    return Buffer.from(resultOf(answer).base64, 'base64');
  }

  /** @throws SampleSkippedError */
  async check(sample: SoundSample, flv: Uint8Array): Promise<Checked> {
    const answer = await this.#withFile('sound', flv, (file) => this.#calls.askOne('media', 'sound', file, sample));
    const { result: _compared, ...checked } = resultOf(answer);
    return checked;
  }

  async witness(liveVideoId: string, match: MatchDetails, pictures: LivePictures): Promise<MatchDetails> {
    const seen = await this.#calls.askOne('media', 'witness', liveVideoId, match, pictures);
    return seen ?? match;
  }

  /** The file exists while the call is under way. @throws SampleSkippedError */
  async #withFile<Answer>(
    name: 'sample' | 'picture' | 'still' | 'sound',
    flv: Uint8Array,
    ask: (file: string) => Promise<Answer>,
  ): Promise<Answer> {
    const leave = this.#calls.takePlace('media', name);
    if (leave === undefined) throw new SampleSkippedError('the media process is busy');
    const file = `${randomUUID()}.flv`;
    try {
      await writeIn(this.#folder, file, flv).catch((error: unknown) => {
        // A full disk is not an error of the stream.
        throw new SampleSkippedError(String(error));
      });
      return await ask(file);
    } finally {
      leave();
      await rm(join(this.#folder, file), { force: true }).catch(() => undefined);
    }
  }
}

/** @throws SampleSkippedError, Error with the reason why it could not be read */
function resultOf<Result extends object>(answer: Result | NotRead | undefined): Result {
  if (answer === undefined) throw new SampleSkippedError('the media process did not answer');
  if (!isNotRead(answer)) return answer;
  throw answer.result === 'skipped' ? new SampleSkippedError(answer.reason) : new Error(answer.reason);
}

/** The clip of a match, for the web process. */
export async function takeClip(calls: Calls, folder: string, matchId: string, piece: MatchPiece): Promise<MatchClip> {
  const answer = await calls.askOne('media', 'clip', matchId, piece);
  if (answer === undefined) return { gone: BUSY };
  if (!('file' in answer)) return answer;
  try {
    return { wav: await readFile(folder, answer.file, CLIP_NAME, SAMPLE_FILES.clipBytes) };
  } finally {
    if (CLIP_NAME.test(answer.file)) await rm(join(folder, answer.file), { force: true });
  }
}

export interface MediaParts {
  readonly folder: string;
  readonly probe: SampleProbe;
  readonly decoder: PictureDecoding & StillDecoding;
  readonly comparer: SoundComparer;
  readonly clips: { clip(matchId: string, piece: MatchPiece): Promise<MatchClip> };
}

/** In the media process. */
export function mediaCalls(parts: MediaParts): Omit<Handlers<'media'>, 'metrics'> {
  const { folder, probe, decoder, comparer, clips } = parts;
  return {
    sample: (file) =>
      readSample(folder, file, probe.hasRoomForSample, async (flv) => ({
        result: 'read',
        opinion: await probe.sample(flv),
      })),
    picture: (file) =>
      readSample(folder, file, decoder.hasRoomForPicture, async (flv) => decoded(await decoder.picture(flv))),
    still: (file) =>
      readSample(folder, file, decoder.hasRoomForStill, async (flv) => decoded(await decoder.still(flv))),
    sound: async (file, sample) => {
      const compared = await readSample(folder, file, comparer.hasRoom, async (flv) => ({
        result: 'compared' as const,
        ...(await comparer.check(sample, flv)),
      }));
      return isNotRead(compared) ? { ...compared, result: 'skipped' } : compared;
    },
    witness: (liveVideoId, match, pictures) => comparer.witness(liveVideoId, match, pictures).catch(() => match),
    clip: async (matchId, piece) => {
      try {
        const clip = await clips.clip(matchId, piece);
        if (!('wav' in clip)) return clip;
        const file = `${randomUUID()}.wav`;
        await writeIn(folder, file, clip.wav);
        return { file };
      } catch {
        return { gone: BUSY };
      }
    },
  };
}

type Decoded = Extract<ReturnType<MediaCalls['picture']>, { readonly result: 'decoded' }>;
const decoded = (image: Uint8Array): Decoded => ({
  result: 'decoded',
  base64: Buffer.from(image).toString('base64'),
});

/** Never rejects. */
async function readSample<Result>(
  folder: string,
  file: string,
  hasRoom: boolean,
  read: (flv: Uint8Array) => Promise<Result>,
): Promise<Result | NotRead> {
  if (!hasRoom) return { result: 'skipped', reason: 'the media process is busy' };
  let flv: Uint8Array;
  try {
    flv = await readFile(folder, file, SAMPLE_NAME, SAMPLE_FILES.bytes);
  } catch (error) {
    return { result: 'skipped', reason: String(error) };
  }
  try {
    return await read(flv);
  } catch (error) {
    return { result: 'unreadable', reason: String(error) };
  }
}

function isNotRead(answer: object): answer is NotRead {
  return 'result' in answer && (answer.result === 'skipped' || answer.result === 'unreadable');
}

async function writeIn(folder: string, file: string, bytes: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, file), bytes, { mode: 0o600 });
}

/** @throws RangeError, the system's error */
async function readFile(folder: string, name: string, expected: RegExp, bytesMax: number): Promise<Uint8Array> {
  if (!expected.test(name)) throw new RangeError('not the name of a sample');
  const file = await open(join(folder, name), 'r');
  try {
    const { size } = await file.stat();
    if (size > bytesMax) throw new RangeError(`a sample of ${size} bytes is too large`);
    return await file.readFile();
  } finally {
    await file.close();
  }
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
