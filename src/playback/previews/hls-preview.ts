/** One HLS preview: ffmpeg splits an internal viewer's FLV stream into segments, without transcoding. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { defined } from '../../lib/objects.js';
import type { Clock, Log } from '../../ports/index.js';
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
  readonly folder: string;
  /** Sessions by player. */
  readonly sessions = new Map<string, PlayerSession>();
  usedAtMs: number;
  /** Resolves to the reason if the stream cannot be watched here now. */
  readonly refused: Promise<'not-running' | 'full' | undefined>;
  readonly #deps: HlsDeps;
  readonly #child: ChildProcess;
  #kill: CagedFfmpeg['kill'] = (child) => child.kill('SIGKILL');
  #viewer: Viewer | undefined;
  /** Set when the stream or ffmpeg has ended. The segments written so far can still be read. */
  endedAtMs: number | undefined;
  #closed = false;

  constructor(streamId: string, deps: HlsDeps) {
    this.streamId = streamId;
    this.#deps = deps;
    this.usedAtMs = deps.clock.monotonicMs();
    this.folder = mkdtempSync(join(deps.folder, `${streamId}-`));
    this.#child = this.#spawn();
    this.refused = this.#join();
  }

  async #join(): Promise<'not-running' | 'full' | undefined> {
    const { stdin } = this.#child;
    if (stdin === null) return 'full';
    stdin.on('error', () => this.#viewer?.left());
    const joined = await this.#deps.audiences.join(this.streamId, new PipeSink(stdin), { counts: false });
    if ('refused' in joined) return joined.refused;
    this.#viewer = joined.viewer;
    if (this.#closed || this.endedAtMs !== undefined) joined.viewer.left();
    return undefined;
  }

  #spawn(): ChildProcess {
    const { caged, log, clock } = this.#deps;
    // Paths are relative to its own folder: ffmpeg would expand pattern characters in the path of the data folder.
    const { program, args, cwd, kill } = caged(this.folder);
    this.#kill = kill;
    const child = spawn(program, [...args, ...conversion()], {
      ...defined({ cwd }),
      env: {},
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr?.on('data', (bytes: Buffer) => {
      stderr = (stderr + bytes.toString()).slice(-HLS_LIMITS.errorBytes);
    });
    const onEnd = (cause: object): void => {
      this.endedAtMs ??= clock.monotonicMs();
      this.#viewer?.left();
      if (!this.#closed) log.info({ ...qualityOf(this.streamId), ...cause, stderr }, 'HLS preview ended');
    };
    child.on('error', (error) => onEnd({ error }));
    child.once('exit', (code, signal) => onEnd({ code, signal }));
    return child;
  }

  /** The playlist as ffmpeg wrote it; waits for the first one. `undefined`: ffmpeg wrote none. */
  async playlist(): Promise<string | undefined> {
    const path = join(this.folder, PLAYLIST);
    const giveUpMs = this.#deps.clock.monotonicMs() + HLS_LIMITS.firstPlaylistMs;
    while (!existsSync(path)) {
      if (this.endedAtMs !== undefined || this.#closed || this.#deps.clock.monotonicMs() > giveUpMs) return undefined;
      await sleep(HLS_LIMITS.pollMs);
    }
    return this.#closed ? undefined : await readFile(path, 'utf8');
  }

  /** Resolves when the child process and the folder are gone. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#viewer?.left();
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
      await new Promise<void>((resolve) => {
        child.once('exit', () => resolve());
        this.#kill(child);
      });
    }
    // ffmpeg may end a moment after its sandbox.
    await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
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
