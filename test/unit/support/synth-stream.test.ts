import { SliceList } from '../../../src/bytes/slices.js';
import { TagParser } from '../../../src/media/flv/tag-parser.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../../support/synth-stream.js';

function collect(options: SynthOptions = {}) {
  const parser = new TagParser();
  const rows = {
    videoBytes: 0,
    audioBytes: 0,
    keyTimes: [] as number[],
    idrTimes: [] as number[],
    faults: [] as string[],
  };
  const videoTimes: number[] = [];
  const audioTimes: number[] = [];
  const videoConfigs: unknown[] = [];
  const audioConfigs: unknown[] = [];
  const messages: SynthMessage[] = [...synthStream(options)];
  for (const { kind, timestampMs, payload } of messages) {
    if (kind === 'video') {
      parser.parseVideo(SliceList.of(payload), timestampMs);
      const packet = parser.video;
      if (packet.fault !== undefined) rows.faults.push(packet.fault);
      if (packet.config) videoConfigs.push(packet.config);
      if (packet.type !== 'coded') continue;
      videoTimes.push(timestampMs);
      rows.videoBytes += packet.payloadBytes;
      if (packet.flvKeyFrame) rows.keyTimes.push(timestampMs);
      if (packet.idr) rows.idrTimes.push(timestampMs);
    } else if (kind === 'audio') {
      parser.parseAudio(SliceList.of(payload), timestampMs);
      const packet = parser.audio;
      if (packet.fault !== undefined) rows.faults.push(packet.fault);
      if (packet.config) audioConfigs.push(packet.config);
      if (packet.type !== 'coded') continue;
      audioTimes.push(timestampMs);
      rows.audioBytes += packet.payloadBytes;
    }
  }
  return { ...rows, messages, videoTimes, audioTimes, videoConfigs, audioConfigs };
}

describe('the synthetic stream, read back by the parsers', () => {
  test('has the requested rates, times and key frames', () => {
    const got = collect({ durationMs: 10_000, videoKbps: 2500, audioKbps: 128 });
    expect(got.faults).toEqual([]);
    expect(got.videoTimes).toHaveLength(300);
    expect(got.keyTimes).toEqual([0, 2000, 4000, 6000, 8000]);
    expect(got.idrTimes).toEqual(got.keyTimes);
    expect(Math.abs(got.videoBytes - 2500 * 1250)).toBeLessThan(2);
    expect(Math.abs(got.audioBytes - 128 * 1250)).toBeLessThan(400);
    expect(got.messages[0]?.kind).toBe('data');
    expect(got.videoConfigs).toHaveLength(1);
    expect(got.audioConfigs).toEqual([expect.objectContaining({ audioObjectType: 2, sampleRate: 48000, channels: 2 })]);
  });

  test.each([1, 2, 4])('keeps its bitrate with length fields of %d bytes and filler', (nalLengthSize) => {
    const got = collect({
      durationMs: 4000,
      videoKbps: 800,
      nalLengthSize,
      fillerShare: nalLengthSize === 1 ? 0 : 0.4,
    });
    expect(got.faults).toEqual([]);
    expect(got.idrTimes).toEqual([0, 2000]);
    expect(Math.abs(got.videoBytes - 800 * 500)).toBeLessThan(20);
  });

  test.each([
    { enhanced: true },
    { bFrames: 2 },
    { fps: 59.94, width: 1920, height: 1080, levelIdc: 42 },
    { audioCodec: 'Opus', videoCodec: 'hvc1' },
    { startMs: 2 ** 24 - 1000 },
  ])('is without faults for %j', (options) => {
    const got = collect({ durationMs: 4000, ...options });
    expect(got.faults).toEqual([]);
    expect(Math.abs(got.videoBytes - 2500 * 500)).toBeLessThan(3000);
  });

  test('wraps its times at 2^32', () => {
    const { videoTimes } = collect({ durationMs: 2000, startMs: 2 ** 32 - 1000 });
    expect(videoTimes[0]).toBe(2 ** 32 - 1000);
    expect(videoTimes.at(-1)).toBe(967);
  });

  test('changes settings with new headers and a key frame', () => {
    const { videoConfigs, keyTimes, audioConfigs } = collect({
      durationMs: 4000,
      changes: [
        { atMs: 3000, width: 640, height: 360 },
        { atMs: 3500, sampleRate: 44100 },
      ],
    });
    expect(videoConfigs).toMatchObject([{ sps: [{ width: 1280 }] }, { sps: [{ width: 640, height: 360 }] }]);
    expect(keyTimes).toEqual([0, 2000, 3000]);
    expect(audioConfigs).toMatchObject([{ sampleRate: 48000 }, { sampleRate: 44100 }]);
  });

  test('changes its frame rate without a jump', () => {
    const { videoTimes } = collect({ durationMs: 2000, changes: [{ atMs: 1000, fps: 60 }] });
    const steps = new Set(videoTimes.slice(1).map((time, i) => time - (videoTimes[i] as number)));
    expect([...steps].sort()).toEqual([16, 17, 33, 34]);
    expect(videoTimes).toHaveLength(30 + 60);
  });

  test('lets an edit drop, retime and add messages', () => {
    const { audioTimes } = collect({
      durationMs: 3000,
      edit: (frame) => (frame.kind === 'audio' && frame.atMs > 1000 ? [] : [frame]),
    });
    expect(audioTimes.at(-1)).toBeLessThanOrEqual(1000);
  });
});
