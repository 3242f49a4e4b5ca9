/** H.264, AAC and FLV: readers throw WireError only, output does not exceed input, and results are possible. */

import { SliceList } from '../../../src/bytes/slices.js';
import { WireError } from '../../../src/bytes/wire-error.js';
import { parseAudioSpecificConfig } from '../../../src/media/aac/audio-specific-config.js';
import { configOfLoas } from '../../../src/media/aac/latm.js';
import { FlvFileReader } from '../../../src/media/flv/file-reader.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import { parseAvcc } from '../../../src/media/h264/avcc.js';
import { parsePps } from '../../../src/media/h264/pps.js';
import { parseSps, type Sps } from '../../../src/media/h264/sps.js';
import { aacSequenceHeader, avcFrame, avcSequenceHeader, flvFile, headOf } from '../../support/flv-writer.js';
import { cutsChangeNothing, type FuzzTarget, type Parts } from '../../support/fuzz.js';
import { buildAvcc, buildPps, lengthPrefixed, slice } from '../../support/h264-writer.js';
import { pieces } from '../../support/pieces.js';
import { synthStream } from '../../support/synth-stream.js';
import { ASC, AUDIO_BODIES, flvParts, LOAS, SPS, VIDEO_BODIES } from './media-corpus.js';

const single = (inputs: readonly Uint8Array[]): Parts[] => inputs.map((input) => [input]);

function expectPossible(sps: Sps): void {
  const sizes = [sps.width, sps.height, sps.codedWidth, sps.codedHeight];
  const possible =
    sizes.every((size) => Number.isInteger(size) && size > 0 && size <= 131_072) &&
    sps.width <= sps.codedWidth &&
    sps.height <= sps.codedHeight &&
    sps.spsId <= 31 &&
    sps.bitDepthLuma <= 14;
  if (!possible) throw new Error(`an impossible SPS: ${JSON.stringify(sps)}`);
}

const sps: FuzzTarget = { seeds: single(SPS), decode: (input) => expectPossible(parseSps(input)) };

const pps: FuzzTarget = {
  seeds: single([buildPps(), buildPps({ ppsId: 255, spsId: 31 })]),
  decode: (input) => void parsePps(input),
};

const avcc: FuzzTarget = {
  seeds: single([buildAvcc(), buildAvcc({ sps: SPS, nalLengthSize: 2 }), buildAvcc({ sps: [], pps: [] })]),
  decode: (input) => {
    for (const each of parseAvcc(input).sps) expectPossible(each);
  },
};

function expectPossibleAudio(bytes: Uint8Array): void {
  const config = parseAudioSpecificConfig(bytes);
  const { sampleRate, channels, audioObjectType } = config;
  if (!(sampleRate > 0 && channels >= 0 && channels <= 200 && audioObjectType < 96))
    throw new Error(`an impossible config: ${JSON.stringify(config)}`);
}

const asc: FuzzTarget = { seeds: single(ASC), decode: expectPossibleAudio };

const latm: FuzzTarget = {
  seeds: [LOAS, [...LOAS, ...LOAS]],
  decode: (input) => {
    const config = configOfLoas(input);
    if (config !== undefined && config.length > input.length + 1) throw new Error('it grew');
    if (config !== undefined) expectPossibleAudio(config);
  },
};

/** The tag parsers report every fault as data and must not throw, not even WireError. */
function withoutWireError<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof WireError) throw new Error(`WireError ${error.code} left a tag parser`);
    throw error;
  }
}

/** A parser that has read headers and frames, as in mid-broadcast. */
function parserInMidStream(frames: number): TagParser {
  const parser = new TagParser();
  parser.parseVideo(SliceList.of(avcSequenceHeader(buildAvcc())), 0);
  parser.parseAudio(SliceList.of(aacSequenceHeader(ASC[0] as Uint8Array)), 0);
  for (let i = 0; i < frames; i++) parser.parseVideo(SliceList.of(avcFrame(lengthPrefixed([slice()]))), 0);
  return parser;
}

const told = (count: number, track: (index: number) => unknown): string =>
  JSON.stringify(Array.from({ length: count }, (_, i) => track(i)));

const video: FuzzTarget = {
  seeds: VIDEO_BODIES,
  decode: (input, random) => {
    const frames = Math.floor(random() * 12);
    const parser = parserInMidStream(frames);
    const count = withoutWireError(() => parser.parseVideo(SliceList.of(input), 0));
    let bytes = 0;
    for (let i = 0; i < count; i++) bytes += parser.videoTrack(i).payloadBytes;
    if (count < 1 || count > 16 || bytes > input.length)
      throw new Error(`${count} tracks with ${bytes} bytes of ${input.length}`);
    const other = parserInMidStream(frames);
    const again = other.parseVideo(pieces(input, 1 + Math.floor(random() * 40)), 0);
    if (told(count, (i) => parser.videoTrack(i)) !== told(again, (i) => other.videoTrack(i)))
      throw new Error('the result differs in pieces');
  },
};

const audio: FuzzTarget = {
  seeds: AUDIO_BODIES,
  decode: (input, random) => {
    const [parser, other] = [parserInMidStream(0), parserInMidStream(0)];
    const fromPrefix = other.parsePrefix(headOf('audio', input, Math.min(2, input.length), 0));
    const count = withoutWireError(() => parser.parseAudio(SliceList.of(input), 0));
    if (count < 1 || count > 16) throw new Error(`${count} tracks`);
    const again = fromPrefix ? 1 : other.parseAudio(pieces(input, 1 + Math.floor(random() * 40)), 0);
    if (told(count, (i) => parser.audioTrack(i)) !== told(again, (i) => other.audioTrack(i)))
      throw new Error(`${fromPrefix ? 'from its prefix' : 'in pieces'} the result differs`);
  },
};

const fileReader: FuzzTarget = {
  seeds: [flvParts(flvFile(synthStream({ durationMs: 100, videoKbps: 100 }))), flvParts(flvFile([]))],
  rounds: 800,
  decode: (input, random) => {
    let sum = 0;
    cutsChangeNothing(input, random, (parts) => {
      const tags: string[] = [];
      sum = 0;
      const reader = new FlvFileReader({
        header: (hasAudio, hasVideo) => void tags.push(`${hasAudio} ${hasVideo}`),
        tag: (kind, timestampMs, payload, offset) => {
          sum += payload.length;
          tags.push(`${kind} ${timestampMs} ${payload.length} ${payload.byteAt(0)} ${offset}`);
        },
      });
      try {
        for (const part of parts) reader.push(part);
        tags.push(`${reader.end()}`);
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        tags.push(`${error.code} at ${error.offset}`);
      }
      return `${tags.join('\n')}\n${reader.wrongBackPointers} ${reader.skippedTags}`;
    });
    if (sum > input.length) throw new Error('more payload than the file has');
  },
};

export const MEDIA_TARGETS = {
  'media-sps': sps,
  'media-pps': pps,
  'media-avcc': avcc,
  'media-asc': asc,
  'media-latm': latm,
  'media-video': video,
  'media-audio': audio,
  'file-reader': fileReader,
} satisfies Record<string, FuzzTarget>;
