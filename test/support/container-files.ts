/** A small real file of each published upload container, made by the ffmpeg of the machine. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { UploadContainer } from '../../src/spec/upload.js';
import { type MediaFile, makeMedia, runFfmpeg } from './media-files.js';

const MPEG2: MediaFile = { video: ['-c:v', 'mpeg2video'], audio: ['-c:a', 'mp2'] };
const WMV: MediaFile = { video: ['-c:v', 'wmv2'], audio: ['-c:a', 'wmav2'] };
const XVID: MediaFile = { video: ['-c:v', 'mpeg4'] };
const THEORA: MediaFile = { video: ['-c:v', 'libtheora'], audio: ['-c:a', 'libvorbis'] };
const as = (format: string, file: MediaFile = {}): MediaFile => ({
  ...file,
  options: [...(file.options ?? []), '-f', format],
});

/** Those that ffmpeg writes, each with its muxer. */
const MUXED: Readonly<Record<Exclude<UploadContainer, 'nsv'>, MediaFile>> = {
  '3g2': as('3g2'),
  '3gp': as('3gp'),
  '3gpp': as('3gp'),
  asf: as('asf', WMV),
  avi: as('avi'),
  dat: as('vcd', MPEG2),
  divx: as('avi', XVID),
  dv: {
    ...as('dv'),
    size: '720x576',
    rate: 25,
    video: ['-c:v', 'dvvideo', '-pix_fmt', 'yuv420p'],
    audio: ['-c:a', 'pcm_s16le'],
  },
  f4v: as('f4v'),
  flv: as('flv'),
  gif: { ...as('gif'), video: [], audio: null },
  m2ts: as('mpegts', { options: ['-mpegts_m2ts_mode', '1'] }),
  m4v: as('ipod'),
  mkv: as('matroska'),
  mod: as('mpeg', MPEG2),
  mov: as('mov'),
  mp4: as('mp4'),
  mpe: as('mpeg', MPEG2),
  mpeg: as('mpeg', MPEG2),
  mpeg4: as('mp4'),
  mpg: as('mpeg', MPEG2),
  mts: as('mpegts', { options: ['-mpegts_m2ts_mode', '1'] }),
  ogm: as('ogg', THEORA),
  ogv: as('ogg', THEORA),
  qt: as('mov'),
  tod: as('mpegts', MPEG2),
  ts: as('mpegts'),
  vob: as('vob', MPEG2),
  wmv: as('asf', WMV),
};

/** Half a second. The name of the file tells nothing about its content. */
export function makeContainer(name: UploadContainer, folder: string): string {
  const path = join(folder, `${name}.bin`);
  return name === 'nsv' ? makeNsv(path, folder) : makeMedia(path, { seconds: 0.5, ...MUXED[name] });
}

const NSV = { width: 320, height: 180, framesPerSecond: 30, frames: 15 } as const;

/** ffmpeg reads NSV but does not write it. Each frame is an MPEG-4 key frame behind a sync header of its own, without sound. */
function makeNsv(path: string, folder: string): string {
  const { width, height, framesPerSecond, frames } = NSV;
  const parts = mkdtempSync(join(folder, 'nsv-'));
  const source = ['-f', 'lavfi', '-i', `testsrc2=size=${width}x${height}:rate=${framesPerSecond}`];
  const codec = ['-frames:v', String(frames), '-c:v', 'mpeg4', '-g', '1', '-f', 'image2'];
  runFfmpeg([...source, ...codec, join(parts, '%03d.m4v')]);
  const header = Buffer.alloc(19);
  header.write('NSVsXVIDNONE', 'latin1');
  header.writeUInt16LE(width, 12);
  header.writeUInt16LE(height, 14);
  header[16] = framesPerSecond;
  const written = readdirSync(parts)
    .sort()
    .flatMap((name) => {
      const frame = readFileSync(join(parts, name));
      // 4 bits count additional chunks, 20 bits are the size of the picture, 16 bits that of the sound.
      const sizes = Buffer.alloc(5);
      sizes.writeUIntLE(frame.length << 4, 0, 3);
      return [header, sizes, frame];
    });
  writeFileSync(path, Buffer.concat(written));
  rmSync(parts, { recursive: true });
  return path;
}
