/** The tracks of a file, by ffprobe, and the packets of those that FLV cannot carry. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { type FileTrack, GUARD, outcome } from './remux.js';

export interface FileShape {
  readonly container: string;
  /** The first video and the first audio track: what an encoder would send. Cover pictures are no video. */
  readonly tracks: readonly FileTrack[];
  readonly otherTracks: number;
  /** Where the file's own clock begins, seconds. */
  readonly startS: number;
}

interface ProbedStream {
  readonly index: number;
  readonly codec_type?: string;
  readonly codec_name?: string;
  readonly codec_tag_string?: string;
  readonly disposition?: { readonly attached_pic?: number };
}

/** @throws Error with what ffprobe said when it cannot open the file as one of the containers */
export async function fileShape(ffprobe: string, file: string): Promise<FileShape> {
  const child = spawn(
    ffprobe,
    ['-hide_banner', '-loglevel', 'error', ...GUARD, '-show_format', '-show_streams', '-of', 'json', `file:${file}`],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [text, fault] = await Promise.all([readAll(child.stdout), outcome(child)]);
  if (fault !== undefined) throw new Error(lastLine(fault));
  const probed = JSON.parse(text) as {
    format?: { format_name?: string; start_time?: string };
    streams?: readonly ProbedStream[];
  };
  const all = (probed.streams ?? []).flatMap(asTrack);
  const tracks = (['video', 'audio'] as const).flatMap((kind) => all.find((track) => track.kind === kind) ?? []);
  const startS = Number.parseFloat(probed.format?.start_time ?? '');
  return {
    container: probed.format?.format_name ?? '',
    tracks,
    otherTracks: all.length - tracks.length,
    startS: Number.isNaN(startS) ? 0 : startS,
  };
}

function asTrack(stream: ProbedStream): FileTrack[] {
  const kind = stream.codec_type;
  if ((kind !== 'video' && kind !== 'audio') || stream.disposition?.attached_pic === 1) return [];
  return [{ index: stream.index, kind, codec: stream.codec_name ?? 'unknown', tag: stream.codec_tag_string ?? '' }];
}

export interface PacketTime {
  readonly decodeTimeMs: number;
  readonly bytes: number;
  readonly isKey: boolean;
}

/** Packets of one track in file order, as ffprobe lists them; times from the start of the file. */
export async function* packetTimes(
  ffprobe: string,
  file: string,
  track: FileTrack,
  startS: number,
): AsyncGenerator<PacketTime> {
  const child = spawn(
    ffprobe,
    [
      '-hide_banner',
      '-loglevel',
      'error',
      ...GUARD,
      '-select_streams',
      String(track.index),
      '-show_entries',
      'packet=dts_time,pts_time,size,flags',
      '-of',
      'csv=p=0',
      `file:${file}`,
    ],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const ended = outcome(child);
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const [pts = '', dts = '', size = '', flags = ''] = line.split(',');
      const seconds = [dts, pts].map(Number.parseFloat).find((time) => !Number.isNaN(time)) ?? 0;
      yield {
        decodeTimeMs: Math.max(0, Math.round((seconds - startS) * 1000)),
        bytes: Number(size) || 0,
        isKey: flags.startsWith('K'),
      };
    }
    await ended;
  } finally {
    child.kill('SIGKILL');
  }
}

async function readAll(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** `[mov @ 0x55…] moov atom not found` → `moov atom not found`; the name of the file is known. */
export function lastLine(said: string): string {
  const lines = said.split('\n').map((line) =>
    line
      .replace(/^\[[^\]]*\]\s*/, '')
      .replace(/^file:.*?: /, '')
      .trim(),
  );
  return lines.filter((line) => line !== '').at(-1) ?? said;
}
