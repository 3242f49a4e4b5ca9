/** Small files stored by the interface: captions and images. The blob `key` is served at `/files/<key>`. */

import type { Blobs } from '../../../ports/index.js';
import { subcodeError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';

export const captionKey = (videoId: string, locale: string): string =>
  `videos/${videoId}/captions/${locale.toLowerCase()}.srt`;

export const thumbnailKey = (videoId: string, thumbnailId: string, extension: string): string =>
  `videos/${videoId}/thumbnails/${thumbnailId}.${extension}`;

export const filePath = (key: string): string => `/files/${key}`;

/** @throws ServiceError VIDEO__CREATE_FAILED if the server has no file storage */
export function blobsOf(call: Call): Blobs {
  const { blobs } = call.services;
  if (blobs === undefined)
    throw subcodeError('VIDEO__CREATE_FAILED', 'File storage is not configured.', { status: 500 });
  return blobs;
}

/** First bytes of GIF blocks. */
const [GIF_EXTENSION, GIF_PICTURE] = [0x21, 0x2c];

export interface ImageFacts {
  readonly extension: 'jpg' | 'png' | 'gif' | 'webp';
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

/** Detects format and size of an image from its bytes. `undefined` if it has none of the four formats or is damaged. */
export function imageFacts(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 16) return undefined;
  if (bytes.readUInt32BE(0) === 0x89504e47 && bytes.toString('latin1', 12, 16) === 'IHDR' && bytes.length >= 24) {
    return facts('png', bytes.readUInt32BE(16), bytes.readUInt32BE(20));
  }
  if (/^GIF8[79]a$/.test(bytes.toString('latin1', 0, 6))) return gifFacts(bytes);
  if (bytes.readUInt16BE(0) === 0xffd8) return jpegFacts(bytes);
  if (bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP') return webpFacts(bytes);
  return undefined;
}

function facts(extension: ImageFacts['extension'], width: number, height: number): ImageFacts | undefined {
  if (width === 0 || height === 0) return undefined;
  return { extension, mimeType: extension === 'jpg' ? 'image/jpeg' : `image/${extension}`, width, height };
}

/** The logical screen, or the first picture where that is larger: browsers enlarge the screen to it. */
function gifFacts(bytes: Buffer): ImageFacts | undefined {
  const [screenWidth, screenHeight, flags] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8), bytes[10] ?? 0];
  let at = 13 + colorTable(flags);
  while (bytes[at] === GIF_EXTENSION) {
    at += 2;
    while ((bytes[at] ?? 0) > 0) at += 1 + (bytes[at] ?? 0);
    at += 1;
  }
  if (bytes[at] !== GIF_PICTURE || at + 9 > bytes.length) return undefined;
  const right = bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5);
  const bottom = bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7);
  return facts('gif', Math.max(screenWidth, right), Math.max(screenHeight, bottom));
}

/** Bytes of the color table that the flags announce. */
function colorTable(flags: number): number {
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 0x07) + 1);
}

/** The frame header (SOF0 to SOF15 without DHT, JPG and DAC; ITU-T T.81, table B.1) holds the size. */
function jpegFacts(bytes: Buffer): ImageFacts | undefined {
  for (let at = 2; at + 9 < bytes.length && bytes[at] === 0xff; ) {
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) return facts('jpg', bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5));
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}

function webpFacts(bytes: Buffer): ImageFacts | undefined {
  if (bytes.length < 30) return undefined;
  switch (bytes.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return facts('webp', bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff);
    case 'VP8L': {
      const bits = bytes.readUInt32LE(21);
      return facts('webp', (bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1);
    }
    case 'VP8X':
      return facts('webp', bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1);
    default:
      return undefined;
  }
}
