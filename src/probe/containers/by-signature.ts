/** Formats with a signature whose truncation cannot be detected here; FLV has its own reader for that. */
import { ascii, type Container, type Format, named, opened } from './container.js';

export const bySignature: Container = { demuxers: ['flv', 'h264'], recognize };

/** Foreign formats, named so that the refusal can say what the file is. None of them is opened. */
const FOREIGN_BYTES: readonly (readonly [string, string])[] = [
  ['fffb', 'mp3'],
  ['fff3', 'mp3'],
  ['fff2', 'mp3'],
  ['fffa', 'mp3'],
  ['89504e47', 'png'],
  ['ffd8ff', 'jpeg'],
  ['060e2b34', 'mxf'],
  ['504b0304', 'zip'],
  ['0000000167', 'h264'],
  ['0000000127', 'h264'],
  ['0000000109', 'h264'],
  ['00000167', 'h264'],
];

const FOREIGN_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/^\s*#EXTM3U/, 'hls'],
  [/^\s*ffconcat version/, 'concat'],
  [/^\s*<(\?xml|MPD|smil|SmoothStreaming)/, 'xml'],
  [/^\s*<(!doctype|html)/i, 'html'],
  [/^ID3/, 'mp3'],
  [/^fLaC/, 'flac'],
  [/^\.RMF/, 'rm'],
  [/^%PDF/, 'pdf'],
  [/^DKIF/, 'ivf'],
];

function recognize(head: Buffer): Format | undefined {
  const four = ascii(head, 0, 4);
  if (four === 'FLV\x01') return opened('flv', 'flv');
  const hex = head.toString('hex', 0, 8);
  // Text may begin with a byte order mark.
  const text = ascii(head, 0, 64).replace(/^\xef\xbb\xbf/, '');
  const row =
    FOREIGN_BYTES.find(([start]) => hex.startsWith(start)) ?? FOREIGN_TEXTS.find(([pattern]) => pattern.test(text));
  return row && named(row[1]);
}
