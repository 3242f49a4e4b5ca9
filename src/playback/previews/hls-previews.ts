/** The HLS previews: started on request, bounded in number, ended after half a minute without a request. */
import { mkdirSync, mkdtempSync, readdirSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { isCode } from '../../lib/errors.js';
import { removeTree } from '../../lib/remove-tree.js';
import { HLS_LIMITS, PLAYBACK_LIMITS } from '../context/limits.js';
import { qualityOf } from '../context/quality.js';
import { type HlsDeps, HlsPreview } from './hls-preview.js';

export type Playlist = { readonly text: string } | { readonly refused: 'not-running' | 'full' };

const PARENT = 'previews';

export class HlsPreviews {
  readonly #deps: HlsDeps;
  /** By broadcast and video track. */
  readonly #previews = new Map<string, HlsPreview>();
  /** Runs while there are previews. */
  #timer: NodeJS.Timeout | undefined;
  readonly #closing = new Set<Promise<void>>();
  readonly #removing: Promise<void>;

  constructor(deps: Omit<HlsDeps, 'folder'> & { readonly dataDir: string }) {
    const parent = join(deps.dataDir, PARENT);
    mkdirSync(parent, { recursive: true, mode: 0o700 });
    this.#removing = removeLeftBehind(parent).catch((error: unknown) =>
      deps.log.warn({ error }, 'HLS previews that a process left behind could not be removed'),
    );
    this.#deps = { ...deps, folder: mkdtempSync(join(parent, `${process.pid}-`)) };
  }

  /** Whether this player was admitted and has not timed out: access that a ticket gave lasts while it is used. */
  knows(streamId: string, session: string): boolean {
    return this.#previews.get(streamId)?.sessions.has(session) ?? false;
  }

  async playlist(streamId: string, session: string): Promise<Playlist> {
    let preview = this.#previews.get(streamId);
    // An ended preview is served until its players have seen the end; a later request starts one of the current stream.
    if (preview !== undefined && this.#isPast(preview, session)) {
      this.#drop(preview);
      preview = undefined;
    }
    if (preview === undefined) {
      if (this.#previews.size >= HLS_LIMITS.previews) return { refused: 'full' };
      preview = new HlsPreview(streamId, this.#deps);
      this.#previews.set(streamId, preview);
      this.#timer ??= setInterval(() => this.#tick(), PLAYBACK_LIMITS.tickMs).unref();
    }
    const refused = await preview.refused;
    if (refused !== undefined) {
      this.#drop(preview);
      return { refused };
    }
    if (!preview.sessions.has(session) && preview.sessions.size >= HLS_LIMITS.sessions) return { refused: 'full' };
    this.#use(preview, session);
    const text = await this.#read(preview, () => preview.playlist());
    if (text === undefined && preview.endedAtMs !== undefined) this.#drop(preview);
    return text === undefined ? { refused: 'not-running' } : { text };
  }

  #isPast({ endedAtMs, sessions }: HlsPreview, session: string): boolean {
    if (endedAtMs === undefined) return false;
    return !sessions.has(session) || this.#deps.clock.monotonicMs() - endedAtMs > HLS_LIMITS.endShownMs;
  }

  /** A segment that the playlist lists. */
  async segment(streamId: string, session: string, name: string): Promise<FileHandle | undefined> {
    const preview = this.#previews.get(streamId);
    if (preview === undefined) return undefined;
    if (preview.sessions.has(session)) this.#use(preview, session);
    return this.#read(preview, () => preview.open(name));
  }

  /** A preview whose ffmpeg left anything but a file is ended: something else controls that ffmpeg. */
  async #read<Content>(preview: HlsPreview, read: () => Promise<Content>): Promise<Content | undefined> {
    try {
      return await read();
    } catch (error) {
      if (!isCode(error, 'OUTPUT_REFUSED') && !(error instanceof RangeError)) throw error;
      this.#deps.log.warn({ error, ...qualityOf(preview.streamId) }, 'an HLS preview is refused, and ended');
      this.#drop(preview);
      return undefined;
    }
  }

  #use(preview: HlsPreview, session: string): void {
    const nowMs = this.#deps.clock.monotonicMs();
    preview.usedAtMs = nowMs;
    const { audiences } = this.#deps;
    const known = preview.sessions.get(session);
    if (known !== undefined) {
      known.usedAtMs = nowMs;
      return;
    }
    preview.sessions.set(session, {
      usedAtMs: nowMs,
      stopped: audiences.watched(qualityOf(preview.streamId).liveVideoId),
    });
    audiences.setOthers(preview.streamId, preview.sessions.size);
  }

  #tick(): void {
    const oldMs = this.#deps.clock.monotonicMs() - HLS_LIMITS.idleMs;
    for (const preview of this.#previews.values()) {
      let left = 0;
      for (const [session, { usedAtMs, stopped }] of preview.sessions) {
        if (usedAtMs >= oldMs) continue;
        preview.sessions.delete(session);
        stopped(usedAtMs);
        left++;
      }
      if (left > 0) this.#deps.audiences.setOthers(preview.streamId, preview.sessions.size);
      if (preview.usedAtMs < oldMs) this.#drop(preview);
    }
    if (this.#previews.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #drop(preview: HlsPreview): void {
    // Several concurrent requests for the same preview may detect its failure.
    if (this.#previews.get(preview.streamId) !== preview) return;
    this.#previews.delete(preview.streamId);
    for (const { usedAtMs, stopped } of preview.sessions.values()) stopped(usedAtMs);
    this.#deps.audiences.setOthers(preview.streamId, 0);
    const closing = preview
      .close()
      .catch((error: unknown) => this.#deps.log.warn({ error }, 'cannot remove an HLS preview'))
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const preview of [...this.#previews.values()]) this.#drop(preview);
    await Promise.all([...this.#closing, this.#removing]);
    await removeTree(this.#deps.folder);
  }
}

/** Removes previews of processes that were killed. If a pid has been reused, the folder stays until the next start. */
async function removeLeftBehind(parent: string): Promise<void> {
  for (const name of readdirSync(parent)) {
    const pid = Number.parseInt(name, 10);
    if (Number.isInteger(pid) && (pid === process.pid || !isRunning(pid))) {
      await removeTree(join(parent, name));
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !isCode(error, 'ESRCH');
  }
}
