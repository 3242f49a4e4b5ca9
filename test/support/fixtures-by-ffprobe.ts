/** Our parsers and ffprobe read the same settings from fixtures, and per packet the same times, sizes and key frames. */
import { execFile } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { SliceList } from '../../src/bytes/slices.js';
import type { AudioSpecificConfig } from '../../src/media/aac/audio-specific-config.js';
import { TagParser } from '../../src/media/flv/tag-parser.js';
import type { Sps } from '../../src/media/h264/sps.js';
import { type Fixture, flvPieces, messagesOf } from './fixtures.js';
import type { SynthMessage } from './synth-stream.js';

interface Track {
  codec: string;
  packets: number;
  bytes: number;
  keyFrames: number;
  firstMs: number;
  lastMs: number;
  framesPerSecond: number;
}

interface Facts {
  video: Partial<Track> & { width?: number; height?: number; profile?: string; level?: number; sampleAspect?: string };
  audio: Partial<Track> & { sampleRate?: number; channels?: number; profile?: string };
}

const NAMES: Readonly<Record<string, string>> = {
  h264: 'avc1',
  aac: 'mp4a',
  mp3: '.mp3',
  flv1: 'sorenson-h263',
  pcm_alaw: 'g711-alaw',
};

const run = promisify(execFile);

class Count {
  packets = 0;
  bytes = 0;
  keyFrames = 0;
  firstMs = 0;
  lastMs = 0;

  add(timeMs: number, bytes: number, key: boolean): void {
    if (this.packets === 0) this.firstMs = timeMs;
    this.lastMs = timeMs;
    this.packets++;
    this.bytes += bytes;
    if (key) this.keyFrames++;
  }

  facts(codec: string): Track | Record<string, never> {
    if (this.packets === 0) return {};
    const seconds = (this.lastMs - this.firstMs) / 1000;
    const framesPerSecond = Number(((this.packets - 1) / seconds).toFixed(3));
    return { codec, ...this, framesPerSecond };
  }
}

function ours(messages: Iterable<SynthMessage>): Facts {
  const parser = new TagParser();
  const video = new Count();
  const audio = new Count();
  let sps: Sps | undefined;
  let asc: AudioSpecificConfig | undefined;
  let [videoCodec, audioCodec] = ['', ''];
  for (const { kind, timestampMs, payload } of messages) {
    if (kind === 'video') {
      parser.parseVideo(SliceList.of(payload), timestampMs);
      const { video: packet } = parser;
      sps ??= packet.activeSps;
      if (packet.type !== 'coded') continue;
      videoCodec = packet.codec;
      video.add(timestampMs, packet.payloadBytes, packet.flvKeyFrame);
    } else if (kind === 'audio') {
      parser.parseAudio(SliceList.of(payload), timestampMs);
      const { audio: packet } = parser;
      asc ??= packet.config;
      if (packet.type !== 'coded') continue;
      audioCodec = packet.codec;
      audio.add(timestampMs, packet.payloadBytes, true);
    }
  }
  return {
    video: {
      ...video.facts(videoCodec),
      ...(sps === undefined
        ? {}
        : {
            width: sps.width,
            height: sps.height,
            profile: sps.profile,
            level: sps.levelIdc,
            sampleAspect: aspect(sps.vui?.sarWidth ?? 1, sps.vui?.sarHeight ?? 1),
          }),
    },
    audio: {
      ...audio.facts(audioCodec),
      ...(asc === undefined
        ? {}
        : {
            sampleRate: isOn(asc.sbr) ? (asc.extensionSampleRate ?? asc.sampleRate) : asc.sampleRate,
            channels: isOn(asc.ps) ? 2 : asc.channels,
          }),
    },
  };
}

function isOn(signaling: AudioSpecificConfig['sbr']): boolean {
  return signaling === 'explicit' || signaling === 'backwardCompatible';
}

function aspect(width: number, height: number): string {
  const known = width > 0 && height > 0;
  const divisor = known ? gcd(width, height) : 1;
  return known ? `${width / divisor}:${height / divisor}` : '1:1';
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

/** Reads a file, since ffprobe may miss the last packets of a pipe. */
async function ffprobe(path: string, pieces: Iterable<Buffer>): Promise<Facts> {
  await pipeline(Readable.from(pieces), createWriteStream(path));
  const args = ['-v', 'quiet', '-show_packets', '-show_streams', '-of', 'compact', path];
  const { stdout: text } = await run(process.env.FFPROBE_PATH || 'ffprobe', args, { maxBuffer: 64 << 20 });
  rmSync(path);
  const video = new Count();
  const audio = new Count();
  const streams: Record<string, string>[] = [];
  for (const line of text.split('\n')) {
    const [section, ...pairs] = line.split('|');
    const row = Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
    if (section === 'stream') streams.push(row);
    // ffprobe also lists data messages as packets.
    const count = row.codec_type === 'video' ? video : row.codec_type === 'audio' ? audio : undefined;
    if (section !== 'packet' || count === undefined) continue;
    count.add(Number(row.dts), Number(row.size), row.flags?.startsWith('K') === true);
  }
  const v = streams.find((row) => row.codec_type === 'video');
  const a = streams.find((row) => row.codec_type === 'audio');
  const codec = (row: Record<string, string> | undefined) => NAMES[row?.codec_name ?? ''] ?? row?.codec_name ?? '';
  return {
    video: {
      ...video.facts(codec(v)),
      ...(v?.codec_name === 'h264'
        ? {
            width: Number(v.width),
            height: Number(v.height),
            profile: v.profile,
            level: Number(v.level),
            sampleAspect: v.sample_aspect_ratio === 'N/A' ? '1:1' : v.sample_aspect_ratio,
          }
        : {}),
    },
    audio: {
      ...audio.facts(codec(a)),
      ...(a?.codec_name === 'aac' ? { sampleRate: Number(a.sample_rate), channels: Number(a.channels) } : {}),
    },
  };
}

/** Declares a test for each fixture that ffprobe can be asked about. */
export function testByFfprobe(fixtures: readonly Fixture[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'airlock-fixtures-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const compared = fixtures.filter(({ expected }) => expected.no_ffprobe === undefined);

  test('compares most fixtures', () => {
    expect(compared.length).toBeGreaterThan(0.7 * fixtures.length);
  });

  test.each(compared.map((fixture) => [fixture.name, fixture] as const))('%s', async (name, fixture) => {
    const theirs = await ffprobe(join(folder, `${name}.flv`), flvPieces(await messagesOf(fixture)));
    const facts = ours(await messagesOf(fixture));
    if (fixture.recipe.kind === 'synth') {
      // ffprobe shows the output of its decoder, which cannot decode synthetic audio.
      for (const { audio } of [facts, theirs]) {
        delete audio.sampleRate;
        delete audio.channels;
      }
    }
    expect(facts).toEqual(theirs);
  });
}
