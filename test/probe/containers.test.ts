import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SNIFF_BYTES, sniff } from '../../src/containers/formats.js';
import { DEMUXERS } from '../../src/probe/containers/registry.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../src/spec/upload.js';
import { makeContainer } from '../support/container-files.js';
import { makeMedia } from '../support/media-files.js';
import { temporaryFolderOfFile } from '../support/store-harness.js';

const folder = temporaryFolderOfFile();
afterAll(() => folder.remove());

function headOf(path: string): Uint8Array {
  return readFileSync(path).subarray(0, SNIFF_BYTES);
}

test.each(UPLOAD.containers)('%s is opened as the table specifies', (name) => {
  const { demuxer = '' } = sniff(headOf(makeContainer(name, folder.path)));
  expect(DEMUXERS_OF_CONTAINER[name]).toContain(demuxer);
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
