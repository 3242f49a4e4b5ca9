/** One HLS preview: ffmpeg splits an internal viewer's FLV stream into segments, without transcoding. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from '../../lib/errors.js';
import { defined } from '../../lib/objects.js';
import type { Clock, Log } from '../../ports/index.js';
import { endOf } from '../context/child-messages.js';
import type { CagedFfmpeg } from '../context/deps.js';
import { HLS_LIMITS } from '../context/limits.js';
import { qualityOf } from '../context/quality.js';
import type { Audiences } from '../viewers/audiences.js';
import { PipeSink } from '../viewers/sinks.js';
import type { Viewer } from '../viewers/viewer.js';

export interface HlsDeps {
  readonly audiences: Audiences;
  readonly clock: Clock;
  readonly log: Log;
  readonly caged: (folder: string) => CagedFfmpeg;
  /** Parent folder of all previews; it exists. */
  readonly folder: string;
}

const PLAYLIST = 'index.m3u8';

export interface PlayerSession {
  /** Time of its latest request. */
  usedAtMs: number;
  readonly stopped: (stoppedAtMs: number) => void;
}

export class HlsPreview {
  /** The broadcast and its video track (`quality.ts`). */
  readonly streamId: string;
  /** Sessions by player. */
  readonly sessions = new Map<string, PlayerSession>();
  usedAtMs: number;
  /** Resolves to the reason if the stream cannot be watched here now. */
  readonly refused: Promise<'not-running' | 'full' | undefined>;
  readonly #deps: HlsDeps;
  readonly #child: ChildProcess;
  readonly #run: CagedFfmpeg;
  #viewer: Viewer | undefined;
  /** Resolves when all of the run has ended. */
  #ended: Promise<void> | undefined;
  /** Set when the stream or ffmpeg has ended. The segments written so far can still be read. */
  endedAtMs: number | undefined;
  #closed = false;

  constructor(streamId: string, deps: HlsDeps) {
    this.streamId = streamId;
    this.#deps = deps;
    this.usedAtMs = deps.clock.monotonicMs();
    this.#run = deps.caged(mkdtempSync(join(deps.folder, `${streamId}-`)));
    this.#child = this.#spawn();
    this.refused = this.#join();
  }

  async #join(): Promise<'not-running' | 'full' | undefined> {
    const { stdin } = this.#child;
    // Undefined without a free file descriptor.
    if (!stdin) return 'full';
    stdin.on('error', () => this.#viewer?.left());
    const joined = await this.#deps.audiences.join(this.streamId, new PipeSink(stdin), { counts: false });
    if ('refused' in joined) return joined.refused;
    this.#viewer = joined.viewer;
    if (this.#closed || this.endedAtMs !== undefined) joined.viewer.left();
    return undefined;
  }

  #spawn(): ChildProcess {
    const { log, clock } = this.#deps;
    // Paths are relative to its own folder: ffmpeg would expand pattern characters in the path of the data folder.
    const { program, args, cwd } = this.#run;
    const child = spawn(program, [...args, ...conversion()], {
      ...defined({ cwd }),
      env: {},
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      stderr = (stderr + bytes.toString()).slice(-HLS_LIMITS.errorBytes);
    });
    void endOf(child).then((cause) => {
      this.endedAtMs ??= clock.monotonicMs();
      void this.#end();
      this.#viewer?.left();
      if (!this.#closed) log.info({ ...qualityOf(this.streamId), ...cause, stderr }, 'HLS preview ended');
    });
    return child;
  }

  /** The playlist as ffmpeg wrote it; waits for the first one. `undefined`: ffmpeg wrote none. @throws OUTPUT_REFUSED */
  async playlist(): Promise<string | undefined> {
    const giveUpMs = this.#deps.clock.monotonicMs() + HLS_LIMITS.firstPlaylistMs;
    for (;;) {
      const file = await this.open(PLAYLIST);
      if (this.#closed) await file?.close();
      else if (file !== undefined) return await textOf(file);
      if (this.endedAtMs !== undefined || this.#closed || this.#deps.clock.monotonicMs() > giveUpMs) return undefined;
      await sleep(HLS_LIMITS.pollMs);
    }
  }

  /** A file that ffmpeg has written, if it is there. @throws OUTPUT_REFUSED */
  async open(name: string): Promise<FileHandle | undefined> {
    try {
      return await this.#run.open(name);
    } catch (error) {
      if (isCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  }

  #end(): Promise<void> {
    this.#ended ??= this.#run.end(this.#child).then((isEnded) => {
      if (!isEnded) this.#deps.log.warn({ ...qualityOf(this.streamId) }, 'processes of an HLS preview cannot be ended');
    });
    return this.#ended;
  }

  /** Resolves when the child process and the folder are gone. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#viewer?.left();
    await this.#end();
    await this.#run.remove();
  }
}

/** @throws RangeError */
async function textOf(file: FileHandle): Promise<string> {
  try {
    const bytes = Buffer.alloc(HLS_LIMITS.playlistBytes);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    if (bytesRead === bytes.length) throw new RangeError('the playlist is too long');
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** MPEG-TS segments carry parameter sets in band, so playback continues when the encoder's settings change. */
function conversion(): string[] {
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error', '-protocol_whitelist', 'file,pipe'],
    // Limits how long ffmpeg waits for audio that the metadata declares but the stream does not contain.
    ...['-f', 'flv', '-analyzeduration', '1500000', '-i', 'pipe:0'],
    ...['-map', '0:v:0?', '-map', '0:a:0?', '-c', 'copy', '-f', 'hls', '-hls_segment_type', 'mpegts'],
    ...['-hls_time', String(HLS_LIMITS.segmentSeconds), '-hls_list_size', String(HLS_LIMITS.segmentsListed)],
    ...['-hls_flags', 'delete_segments+temp_file+independent_segments', '-hls_delete_threshold', '4'],
    ...['-hls_segment_filename', '%d.ts', PLAYLIST],
  ];
}
