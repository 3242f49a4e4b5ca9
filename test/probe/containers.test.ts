import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SNIFF_BYTES } from '../../src/probe/containers/container.js';
import { DEMUXERS, sniff } from '../../src/probe/containers/registry.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD, type UploadContainer } from '../../src/spec/upload.js';
import { type MediaFile, makeMedia } from '../support/media-files.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

const MPEG2: MediaFile = { video: ['-c:v', 'mpeg2video'], audio: ['-c:a', 'mp2'] };
const WMV: MediaFile = { video: ['-c:v', 'wmv2'], audio: ['-c:a', 'wmav2'] };
const XVID: MediaFile = { video: ['-c:v', 'mpeg4'] };
const THEORA: MediaFile = { video: ['-c:v', 'libtheora'], audio: ['-c:a', 'libvorbis'] };
const as = (format: string, file: MediaFile = {}): MediaFile => ({
  ...file,
  options: [...(file.options ?? []), '-f', format],
});

/** The rows of the published table that ffmpeg can produce, each with its muxer. */
const FILES: Partial<Record<UploadContainer, MediaFile>> = {
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

function headOf(path: string): Uint8Array {
  return readFileSync(path).subarray(0, SNIFF_BYTES);
}

test.each(Object.entries(FILES))('%s is opened as the table specifies', (name, file) => {
  const path = makeMedia(join(folder.path, `${name}.bin`), { seconds: 0.5, ...file });
  const { demuxer = '' } = sniff(headOf(path));
  expect(DEMUXERS_OF_CONTAINER[name as UploadContainer]).toContain(demuxer);
});

test('every row of the table is tested except nsv, which has no muxer', () => {
  expect(UPLOAD.containers.filter((name) => FILES[name] === undefined)).toEqual(['nsv']);
  expect(sniff(Buffer.from('NSVf\0\0\0\x40')).demuxer).toBe('nsv');
});

test('validate may open every demuxer of the table', () => {
  const published = new Set(Object.values(DEMUXERS_OF_CONTAINER).flat());
  expect(DEMUXERS.filter((name) => !published.has(name)).sort()).toEqual(['aac', 'h264', 'webm']);
  expect([...published].filter((name) => !DEMUXERS.includes(name))).toEqual([]);
});

test('recognizes a QuickTime file without ftyp', () => {
  expect(sniff(Buffer.from('\0\0\0\x08wide\0\0\x10\0mdat', 'latin1'))).toEqual({ container: 'mov', demuxer: 'mov' });
});

test.each([
  ['#EXTM3U\n#EXT-X-VERSION:3\n', 'hls'],
  ['\xef\xbb\xbf#EXTM3U\n', 'hls'],
  ['ffconcat version 1.0\nfile /etc/passwd\n', 'concat'],
  ['<?xml version="1.0"?><MPD>', 'xml'],
  ['<!DOCTYPE html>', 'html'],
  ['RIFF\0\0\0\0WAVEfmt ', 'wav'],
  ['ID3\x03', 'mp3'],
  ['\x89PNG\r\n', 'png'],
  ['\0\0\0\x18ftypheic', 'heif'],
  ['\0\0\0\x18ftypM4A ', 'm4a'],
  ['\0\0\0\x01\x67\x64', 'h264'],
  ['\xff\xf1\x50\x80', 'aac'],
  ['\xff\xf0\x50\x80\x01\x7f\xfc', 'unknown'],
  ['\0\0\0\x18stypmsdh', 'unknown'],
  ['\x00\x00\x00\x00', 'unknown'],
  ['', 'unknown'],
  ['just words', 'unknown'],
])('%j is not opened', (text, container) => {
  expect(sniff(Buffer.from(text, 'latin1'))).toEqual({ container, demuxer: undefined });
});

test('WebM is recognized by its DocType, not by its file name', () => {
  const path = makeMedia(join(folder.path, 'a.webm'), {
    seconds: 0.5,
    video: ['-c:v', 'libvpx'],
    audio: ['-c:a', 'libopus'],
  });
  expect(sniff(headOf(path))).toEqual({ container: 'webm', demuxer: 'matroska', docType: 'webm' });
});

test('a file name is never taken for a command-line option', () => {
  const path = join(folder.path, 'playlist.mp4');
  writeFileSync(path, '#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n');
  expect(sniff(headOf(path)).demuxer).toBeUndefined();
});
