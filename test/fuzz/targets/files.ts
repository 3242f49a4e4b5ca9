/** Untrusted files and bodies: containers, captions, JPEG, ffprobe's output, and multipart forms. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { API_LIMITS } from '../../../src/api/context/limits.js';
import { readBody } from '../../../src/api/http/body.js';
import type { IncomingFile } from '../../../src/api/http/multipart.js';
import { SNIFF_BYTES, sniff } from '../../../src/containers/formats.js';
import { parseSubRip, webVtt } from '../../../src/media/subrip/subrip.js';
import { isFastStart } from '../../../src/probe/containers/iso-bmff.js';
import { readTracks } from '../../../src/probe/ffprobe-json.js';
import { ServiceError } from '../../../src/spec/service-errors.js';
import { jpegSize } from '../../../src/vod/processing/publish-video.js';
import type { FuzzTarget, Parts } from '../../support/fuzz.js';
import { bytes, lines, PROTOTYPE_WORDS, textOf, tokens } from './texts.js';

const captions: FuzzTarget = {
  seeds: lines(
    '1\r\n00:00:01,000 --> 00:00:02,500\r\n<i>Hello</i> & --> world\r\n\r\n2\n00:00:03.0 --> 00:00:04,0\nx\n',
    '1\n00:00:01,000 --> 00:00:02,500\n<font color="red">a</font>{\\an8}b\n\n2\n00:00:03,0 --> 00:00:04,0\nx\n',
    '\xff\xfe1\0\n\0',
  ),
  words: ['<font', '</font', '{\\an', '<i>', '-->', '00:00:01,0 --> 00:00:02,0\n', '1', ' ', '\t', '\r', '\u2028'],
  largestBytes: API_LIMITS.captionsBytes,
  rounds: 5000,
  msPerKiB: 1,
  decode: (input) => {
    const vtt = webVtt(parseSubRip(input));
    if (!vtt.startsWith('WEBVTT') || vtt.length > 200 + input.length * 30) throw new Error(vtt.slice(0, 100));
    if (/<(?!\/?[biu]>)/.test(vtt)) throw new Error('unexpected markup');
  },
};

const box = (type: string, body: string, size = 8 + body.length): Uint8Array => {
  const head = Buffer.alloc(8, type.padStart(8, '\0'), 'latin1');
  head.writeUInt32BE(size);
  return Buffer.concat([head, bytes(body)]);
};

const largeBox = (type: string, size: bigint): Uint8Array => {
  const head = Buffer.from(`\0\0\0\x01${type}\0\0\0\0\0\0\0\0`, 'latin1');
  head.writeBigUInt64BE(size, 8);
  return head;
};

const MP4: readonly Parts[] = [
  [box('ftyp', 'isom\0\0\x02\0'), box('free', ''), box('moov', 'x'.repeat(40)), box('mdat', 'y'.repeat(90))],
  [box('ftyp', 'qt  '), largeBox('wide', 16n), box('mdat', '', 0)],
  [box('ftyp', 'M4V '), largeBox('mdat', 2n ** 40n), box('moov', '')],
];

export function mp4Target(): FuzzTarget {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-fuzz-mp4-'));
  const file = join(folder, 'input.mp4');
  return {
    seeds: MP4,
    rounds: 500,
    decode: async (input) => {
      writeFileSync(file, input);
      if ((await isFastStart(file)) && !textOf(input).includes('moov'))
        throw new Error('a moov that is not in the input');
      sniff(input.subarray(0, SNIFF_BYTES));
    },
    close: async () => rmSync(folder, { recursive: true }),
  };
}

const containers: FuzzTarget = {
  seeds: [
    ...MP4,
    ...tokens(
      '\x1a\x45\xdf\xa3\x9f\x42\x82\x84webm',
      'RIFF\0\0\0\0AVI LIST',
      'FLV\x01\x05\0\0\0\x09',
      'OggS\0',
      '#EXTM3U\n',
    ),
    Array.from({ length: 5 }, () => Buffer.concat([Buffer.of(0x47), Buffer.alloc(187)])),
    [Buffer.from('000001ba44000400040100000003f8', 'hex'), Buffer.from('000001bb', 'hex')],
  ],
  decode: (input) => {
    if (sniff(input.subarray(0, SNIFF_BYTES)).container === '') throw new Error('no name');
  },
};

const jpeg: FuzzTarget = {
  seeds: [
    [
      Buffer.of(0xff, 0xd8),
      Buffer.from('ffe000104a46494600010100000100010000', 'hex'),
      Buffer.from('ffc0001108021c03c003012200021101031101', 'hex'),
    ],
  ],
  decode: (input) => {
    const size = jpegSize(input);
    if (size !== undefined && !(size.width >= 0 && size.height <= 65_535)) throw new Error('no size');
  },
};

const probeJson: FuzzTarget = {
  seeds: tokens(
    '{"streams":[{"codec_type":"video","codec_name":"h264","width":1280,"height":720,"sample_aspect_ratio":"1:1","avg_frame_rate":"30/1","profile":"High","level":31,"pix_fmt":"yuv420p","side_data_list":[{"rotation":-90}],"disposition":{"attached_pic":0}},{"codec_type":"audio","codec_name":"aac","sample_rate":"48000","channels":2,"bit_rate":"1"}],"format":{"format_name":"mov,mp4","duration":"1.5"}}',
  ),
  words: [...PROTOTYPE_WORDS, 'null', '{"a":', '[', '"0/0"', '"1/0"', '"x:y"'],
  decode: (input) => {
    try {
      const { lengthMs, videoFacts } = readTracks(textOf(input));
      const numbers = [lengthMs, videoFacts?.width ?? 0, videoFacts?.height ?? 0];
      if (!numbers.every(Number.isFinite)) throw new Error(`${numbers}`);
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
  },
};

const MULTIPART = lines(
  '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b\r\nContent-Disposition: form-data; name="captions_file"; filename="../x.srt"\r\nContent-Type: text/plain\r\n\r\n1\r\n--b--\r\n',
  '--b\r\nContent-Disposition: form-data; name="a[b][]"; filename*=UTF-8\'\'%e2%82%ac\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--',
  '--b\r\nContent-Disposition: form-data; name="video_file_chunk"; filename="v.mp4"\r\n\r\nabc\r\n--b\r\nContent-Disposition: form-data; name="start_offset"\r\n\r\n0\r\n--b--\r\n',
);

/** A receiver of video chunks that sometimes fails early, as with a full disk. */
function receiver(random: () => number) {
  const refuses = random() < 0.2;
  return {
    takes: (field: string) => field === 'video_file_chunk',
    receive: async (_field: string, source: AsyncIterable<Uint8Array>) => {
      if (refuses)
        throw new ServiceError({ code: 1, type: 'OAuthException', status: 400, message: 'no', isTransient: false });
      for await (const _ of source);
    },
  };
}

/** Every body is read or refused, and always settled, however it is split. How a malformed body is interpreted is up to the parser. */
const multipart: FuzzTarget = {
  seeds: MULTIPART,
  words: [
    ...PROTOTYPE_WORDS,
    '\r\n--b\r\n',
    '--b--',
    'name="a[__proto__]"',
    'name="',
    '; filename="',
    '[',
    '%',
    '\r\n\r\n',
  ],
  rounds: 1000,
  msPerKiB: 6,
  decode: async (input, random) => {
    const receives = random() < 0.5 ? receiver(random) : undefined;
    await readForm([Buffer.from(input)], input.length, receives);
    const pieces: Buffer[] = [];
    for (let at = 0; at < input.length; ) {
      const end = Math.min(input.length, at + 1 + Math.floor(random() * (input.length < 2000 ? 40 : 5000)));
      pieces.push(Buffer.from(input.subarray(at, end)));
      at = end;
    }
    await readForm(pieces, input.length, receives);
    if ('x' in {}) throw new Error('the prototype of all objects was changed');
  },
};

async function readForm(parts: readonly Buffer[], size: number, receives?: ReturnType<typeof receiver>): Promise<void> {
  const source = Readable.from(parts);
  const request = Object.assign(source, { headers: { 'content-type': 'multipart/form-data; boundary=b' } });
  let read = 0;
  const file = async ({ field, source }: IncomingFile) => {
    if (receives?.takes(field)) await receives.receive(field, source);
    else for await (const chunk of source) read += chunk.length;
  };
  let reserved = 0;
  const reserve = (bytes: number) => {
    reserved += bytes;
  };
  try {
    const params = await readBody(request as unknown as IncomingMessage, {
      reserve,
      file,
      field: () => undefined,
      onRefusal: () => undefined,
    });
    JSON.stringify(params);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  if (read + reserved > size) throw new Error('it grew');
}

export const FILE_TARGETS = {
  captions,
  containers,
  jpeg,
  'probe-json': probeJson,
  multipart,
} satisfies Record<string, FuzzTarget>;
