/** kill -9 of the server during a large upload: the client resumes at the offset that the server returns. */
import { createHash, randomInt } from 'node:crypto';
import { closeSync, createReadStream, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as later } from 'node:timers';
import type { Airlock } from './airlock.js';
import { makeMedia, runFfmpeg } from './media-files.js';
import { NEWER_NODE_MB, watchMemory } from './process-memory.js';

// biome-ignore lint/suspicious/noExplicitAny: answers of the interface are inspected, not typed
type Json = any;

/** The server holds no file in memory, regardless of its size: with one, its processes would exceed their 330 MB by 125. */
const MEMORY_MB = 430 + NEWER_NODE_MB;

/** About 125 MB in a playable format, which is published unchanged. */
function largeFile(folder: string): string {
  const bits = ['-b:v', '20M', '-minrate', '20M', '-maxrate', '20M', '-bufsize', '20M', '-x264-params', 'nal-hrd=cbr'];
  const short = makeMedia(join(folder, 'short.mkv'), {
    seconds: 5,
    video: ['-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-g', '30', ...bits],
  });
  const path = join(folder, 'large.mp4');
  runFfmpeg(['-stream_loop', '9', '-i', short, '-c', 'copy', '-movflags', '+faststart', path]);
  return path;
}

async function digest(source: NodeJS.ReadableStream): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(source, hash);
  return hash.digest('hex');
}

const filesBelow = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(path.length));

/** The server is killed that many times; the video has the bytes of the file in the end. */
export async function expectUploadSurvivesKills(airlock: Airlock, kills: number): Promise<void> {
  const folder = airlock.folder;
  const path = largeFile(folder);
  const { size } = statSync(path);
  const file = openSync(path, 'r');
  expect(size).toBeGreaterThan(100 * 1024 * 1024);
  const post = async (fields: Record<string, string | Blob>): Promise<Json> => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) {
      if (typeof value === 'string') body.append(name, value);
      else body.append(name, value, 'chunk');
    }
    const url = new URL(`/${airlock.quickstart.page_id}/videos`, airlock.quickstart.http_url);
    const headers = { authorization: `Bearer ${airlock.quickstart.access_token}` };
    return (await fetch(url, { method: 'POST', headers, body })).json();
  };
  const started = await post({ upload_phase: 'start', file_size: String(size) });
  const transfer = (start: number, end: number) => {
    const bytes = Buffer.alloc(end - start);
    readSync(file, bytes, 0, bytes.length, start);
    return post({
      upload_phase: 'transfer',
      upload_session_id: started.upload_session_id,
      start_offset: String(start),
      video_file_chunk: new Blob([bytes]),
    });
  };

  let memory = watchMemory(airlock.pid);
  const peaks: number[] = [];
  const delays: number[] = [];
  let window: { start_offset: string; end_offset: string } = started;
  while (window.start_offset !== window.end_offset) {
    const [start, end] = [Number(window.start_offset), Number(window.end_offset)];
    if (start < ((delays.length + 1) * size) / (kills + 1) || delays.length === kills) {
      window = await transfer(start, end);
      continue;
    }
    const delayMs = randomInt(0, 40);
    delays.push(delayMs);
    peaks.push(memory.peakMb());
    const killed = new Promise((resolve) => later(() => resolve(airlock.kill('SIGKILL')), delayMs));
    await Promise.all([killed, transfer(start, end).catch(() => undefined)]);
    await airlock.restart();
    memory = watchMemory(airlock.pid);
    // A client that lost its state resends the first bytes; the server answers with the expected offset.
    window = await transfer(0, 1_000);
    expect([delays, [start, end].includes(Number(window.start_offset))]).toEqual([delays, true]);
  }
  closeSync(file);
  expect(window.start_offset).toBe(String(size));
  expect(await post({ upload_phase: 'finish', upload_session_id: started.upload_session_id })).toEqual({
    success: true,
  });
  const video = await airlock.until(
    () => airlock.get(`/${started.video_id}`, { fields: 'status,source,length' }),
    (body) => body.status.video_status !== 'processing',
  );
  expect(video).toMatchObject({ status: { video_status: 'ready' } });
  const { body } = await fetch(video.source);
  if (body === null) throw new Error('no body');
  expect(await digest(Readable.fromWeb(body))).toBe(await digest(createReadStream(path)));
  peaks.push(memory.peakMb());
  expect(peaks.filter((peak) => peak > MEMORY_MB)).toEqual([]);

  // Each kill may leave one chunk that was stored but not yet counted; the sweep deletes these.
  const left = filesBelow(join(airlock.folder, 'data', 'blobs')).filter((name) => !name.startsWith('/videos/'));
  expect(left.filter((name) => !name.startsWith('/parts/'))).toEqual([]);
  expect(left.length).toBeLessThanOrEqual(kills);
  rmSync(path);
}
