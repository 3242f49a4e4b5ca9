/** Sounds of copyright matches, cut by the media process for the web process: a file in the data folder, its name by message. */
import { randomUUID } from 'node:crypto';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MatchClip, MatchPiece } from '../../ports/index.js';
import { type AskChannel, answerQuestions, askWorkers } from './ask-workers.js';
import type { RoleLink } from './link.js';

export const CLIPS_SUBJECT = 'clip';
/** ffmpeg has 30 s, and may wait for another piece. */
const ANSWER_MS = 60_000;
/** 20 s at 22,050 Hz are 0.9 MB. */
const BYTES_MAX = 4 * 1024 * 1024;
const NAME = /^[0-9a-f-]{36}\.wav$/;

interface ClipQuestion {
  readonly matchId: string;
  readonly piece: MatchPiece;
}

type ClipAnswer = { readonly name: string } | { readonly gone: string };

/** Cuts the piece, in this process or in another. */
export type CutClip = (matchId: string, piece: MatchPiece) => Promise<MatchClip>;

const BUSY = 'The media process is busy or not running. Try again later.';

/** For the web process. */
export function clipsElsewhere(folder: string, channel: AskChannel<ClipQuestion, ClipAnswer>): CutClip {
  const ask = askWorkers(channel, ANSWER_MS);
  return async (matchId, piece) => {
    const [answer] = await ask({ matchId, piece });
    if (answer === undefined) return { gone: BUSY };
    if (!('name' in answer)) return answer;
    if (!NAME.test(answer.name)) throw new RangeError('not the name of a clip');
    return { wav: await takeFile(join(folder, answer.name)) };
  };
}

async function takeFile(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (size > BYTES_MAX) throw new RangeError(`a clip of ${size} bytes is too large`);
    return await file.readFile();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/** In the media process. */
export function answerClips(link: RoleLink, folder: string, cut: CutClip): void {
  answerQuestions<ClipQuestion, ClipAnswer>(link, CLIPS_SUBJECT, async ({ matchId, piece }) => {
    try {
      const clip = await cut(matchId, piece);
      if (!('wav' in clip)) return clip;
      const name = `${randomUUID()}.wav`;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(join(folder, name), clip.wav, { mode: 0o600 });
      return { name };
    } catch {
      return { gone: BUSY };
    }
  });
}
