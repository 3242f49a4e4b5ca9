/** A stream of two video tracks over the chunk decoder, one byte at a time, to its taps: each gets one track in the form of a single one. */
import { describe, expect, test } from '@jest/globals';
import { Taps } from '../../../src/broadcasts/taps.js';
import { SliceList } from '../../../src/bytes/slices.js';
import { inTrack } from '../../../src/media/flv/track-messages.js';
import type { MediaTap } from '../../../src/ports/index.js';
import { ChunkDecoder } from '../../../src/rtmp/chunks/decoder.js';
import { ChunkEncoder } from '../../../src/rtmp/chunks/encoder.js';
import { DEFAULT_RTMP_LIMITS } from '../../../src/rtmp/limits.js';
import type { RtmpMessage } from '../../../src/rtmp/messages/message.js';
import { MESSAGE_TYPE } from '../../../src/rtmp/protocol.js';
import { enhancedAudio, enhancedVideo } from '../../support/flv-writer.js';
import { payloadBuffers } from '../../support/payload-buffers.js';
import { type SynthMessage, synthStream } from '../../support/synth-stream.js';
import { twoTracks } from '../../support/two-tracks.js';

const MAIN = { width: 640, height: 360, levelIdc: 30, videoKbps: 300, audioKbps: 64, durationMs: 3_000 };
const SMALL = { ...MAIN, videoKbps: 100, bFrames: 2 };
const TYPES = { audio: MESSAGE_TYPE.audio, video: MESSAGE_TYPE.video, data: MESSAGE_TYPE.dataAmf0 } as const;
const CHUNKS = { audio: 4, video: 6, data: 5 } as const;

class Sink implements MediaTap {
  readonly copies = true;
  readonly got: { kind: string; timestampMs: number; bytes: Buffer }[] = [];

  readonly track: number;
  readonly allTracks: boolean;
  readonly tracks: number[] = [];

  constructor(track = 0, allTracks = false) {
    this.track = track;
    this.allTracks = allTracks;
  }

  packet(kind: 'audio' | 'video' | 'data', timestampMs: number, payload: SliceList, track = 0): void {
    this.got.push({ kind, timestampMs, bytes: Buffer.from(payload.copy(0, payload.length)) });
    this.tracks.push(track);
  }

  close(): void {
    // Holds nothing.
  }

  of(kind: string): readonly { timestampMs: number; bytes: Buffer }[] {
    return this.got.filter((each) => each.kind === kind);
  }
}

function overTheWire(messages: Iterable<SynthMessage>, takeMessage: (message: RtmpMessage) => void): void {
  const encoder = new ChunkEncoder({ chunkSize: 4_096 });
  const decoder = new ChunkDecoder({ takeMessage }, DEFAULT_RTMP_LIMITS);
  decoder.raiseLimits();
  const read = (bytes: Uint8Array) => {
    for (let i = 0; i < bytes.length; i++) decoder.read(bytes.slice(i, i + 1), 0, 1);
  };
  read(Uint8Array.from([2, 0, 0, 0, 0, 0, 4, 1, 0, 0, 0, 0, 0, 0, 16, 0]));
  for (const { kind, timestampMs, payload } of messages) {
    read(encoder.encode(CHUNKS[kind], TYPES[kind], 1, timestampMs, payload));
  }
}

function kindOf(typeId: number): 'audio' | 'video' | 'data' {
  return typeId === MESSAGE_TYPE.video ? 'video' : typeId === MESSAGE_TYPE.audio ? 'audio' : 'data';
}

describe('taps of a stream with two video tracks', () => {
  test('get the first track and the audio unchanged, or the second track in the form of a single one', () => {
    const taps = new Taps(payloadBuffers());
    const first = new Sink();
    const second = new Sink(1);
    taps.attach(first);
    taps.attach(second);
    let late: Sink | undefined;
    let count = 0;
    overTheWire(twoTracks(MAIN, SMALL), ({ typeId, timestampMs, payload }) => {
      taps.packet(kindOf(typeId), timestampMs, payload);
      if (++count !== 60) return;
      late = new Sink(1);
      taps.attach(late);
    });

    const source = [...synthStream(MAIN)];
    expect(first.got.map(({ bytes }) => bytes)).toEqual(source.map(({ payload }) => Buffer.from(payload)));
    expect(second.of('audio')).toEqual(first.of('audio'));
    const other = [...synthStream(SMALL)].filter(({ kind }) => kind === 'video');
    expect(second.of('video').map(({ timestampMs }) => timestampMs)).toEqual(other.map((each) => each.timestampMs));
    for (const [index, { bytes }] of second.of('video').entries()) {
      const plain = Buffer.from((other[index] as SynthMessage).payload);
      const hasTime = (bytes.readUInt8(0) & 15) === 1;
      expect(bytes.toString('latin1', 1, 5)).toBe('avc1');
      expect((bytes.readUInt8(0) >> 4) & 7).toBe(plain.readUInt8(0) >> 4);
      expect(bytes.subarray(hasTime ? 8 : 5).equals(plain.subarray(5))).toBe(true);
    }
    // The header of its own track comes first for a tap that joins later.
    expect(late?.of('video')[0]?.bytes).toEqual(second.of('video')[0]?.bytes);
  });

  test('get nothing of messages that break off inside their tracks', () => {
    const taps = new Taps(payloadBuffers());
    const sink = new Sink();
    taps.attach(sink);
    const tracks = [0, 1, 2].map((trackId) => ({ trackId, body: new Uint8Array(40) }));
    const many = enhancedVideo('avc1', 'codedFramesX', undefined, { key: true, multitrack: { kind: 1, tracks } });
    for (let length = 1; length < 12; length++) taps.packet('video', 0, SliceList.of(many.subarray(0, length)));
    expect(sink.got).toEqual([]);
    taps.packet('video', 0, SliceList.of(many));
    expect(sink.got.map(({ bytes }) => bytes.length)).toEqual([45]);
    const audio = enhancedAudio('mp4a', 'codedFrames', undefined, {
      multitrack: { kind: 0, tracks: tracks.slice(1, 2) },
    });
    taps.packet('audio', 0, SliceList.of(audio));
    expect(sink.got).toHaveLength(1);
  });

  test('get all tracks where they ask for them, and their headers when they join, which go back into the form that came', () => {
    const taps = new Taps(payloadBuffers());
    const early = new Sink(0, true);
    taps.attach(early);
    const bodies = [1, 2].map((trackId) => ({ trackId, body: new Uint8Array(40).fill(trackId) }));
    const header = (kind: 'audio' | 'video', body: (typeof bodies)[number]): Uint8Array => {
      const options = { key: true, multitrack: { kind: 0, tracks: [body] } };
      return kind === 'video'
        ? enhancedVideo('avc1', 'sequenceStart', undefined, options)
        : enhancedAudio('mp4a', 'sequenceStart', undefined, options);
    };
    const sent = bodies.flatMap((body) =>
      (['video', 'audio'] as const).map((kind) => [kind, header(kind, body)] as const),
    );
    for (const [kind, message] of sent) taps.packet(kind, 0, SliceList.of(message));
    const late = new Sink(0, true);
    taps.attach(late);
    for (const { got, tracks } of [early, late]) {
      expect(tracks).toEqual([1, 1, 2, 2]);
      const again = got.map(({ kind, bytes }, at) => inTrack(kind as 'audio' | 'video', tracks[at] ?? 0, bytes));
      expect(again.map((bytes) => Buffer.from(bytes ?? []))).toEqual(sent.map(([, message]) => Buffer.from(message)));
    }
  });
});
