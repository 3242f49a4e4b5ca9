/** docs/spec.md and src/spec agree row by row. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { LIVE } from '../../../src/spec/live.js';
import { ELIGIBILITY, SUBCODES } from '../../../src/spec/service-errors.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../../src/spec/upload.js';

const document = readFileSync(new URL('../../../docs/spec.md', import.meta.url), 'utf8');

/** Rows of the tables under a heading, cells trimmed, without header and separator. */
function tables(heading: string): string[][][] {
  const lines = document.split('\n');
  const from = lines.findIndex((line) => line.replace(/^#+ /, '') === heading && line.startsWith('#'));
  if (from < 0) throw new Error(`docs/spec.md has no heading "${heading}"`);
  const found: string[][][] = [];
  let current: string[][] = [];
  for (const line of lines.slice(from + 1)) {
    if (line.startsWith('#')) break;
    if (line.startsWith('|'))
      current.push(
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      );
    else if (current.length > 0) {
      found.push(current.slice(2));
      current = [];
    }
  }
  if (current.length > 0) found.push(current.slice(2));
  return found;
}

const table = (heading: string): string[][] => tables(heading)[0] as string[][];
const grouped = (value: number): string => value.toLocaleString('en-US');

describe('live', () => {
  test('profiles match', () => {
    const rows = LIVE.profiles.map(({ name, width, height, videoBitrateKbps: { min, max } }) => [
      name,
      `${width}x${height}`,
      `${grouped(min)} to ${grouped(max)}`,
    ]);
    expect(table('Profiles')).toEqual(rows);
    for (const { name, fps } of LIVE.profiles)
      expect(name.endsWith(fps === undefined ? 'p' : `at ${fps} FPS`)).toBe(true);
  });

  test('video settings match', () => {
    const { keyFrameInterval, aspectRatio, videoCodec } = LIVE;
    expect(Object.fromEntries(table('Video settings'))).toEqual({
      Protocol: LIVE.protocol,
      'Key frame interval': `${keyFrameInterval.recommendedMs / 1000} seconds recommended, ${keyFrameInterval.maxMs / 1000} seconds at most`,
      'Aspect ratio': `${aspectRatio.width}:${aspectRatio.height} is the target; too far from it may not be supported`,
      Codec: videoCodec.name,
      'Level up to 1080p at 30 FPS': String(videoCodec.maxLevelTimes10[30] / 10),
      'Level for 1080p at 60 FPS': String(videoCodec.maxLevelTimes10[60] / 10),
    });
  });

  test('audio settings match', () => {
    const { codec, sampleRatesHz, bitrateKbps } = LIVE.audio;
    expect(Object.fromEntries(table('Audio settings'))).toEqual({
      Codec: codec,
      'Sample rate': sampleRatesHz.map((rate) => `${rate / 1000} kHz`).join(' or '),
      Bitrate: `${bitrateKbps.preferred} kbps preferred, ${bitrateKbps.max} kbps at most`,
      Channels: LIVE.audio.channels === 2 ? 'stereo' : '',
    });
  });

  test('date, tracks and duration match', () => {
    expect(document).toContain(`In force since ${LIVE.effectiveFrom}.`);
    expect(LIVE.tracks).toEqual(['audio', 'video']);
    expect(document).toContain('both an audio and a video track');
    expect(document).toContain(`A stream lasts at most ${LIVE.duration.maxHours} hours.`);
    expect(LIVE.duration.maxMs).toBe(LIVE.duration.maxHours * 3_600_000);
  });
});

describe('uploads', () => {
  test('the table matches', () => {
    const { aspectRatios, containers, audio } = UPLOAD;
    expect(Object.fromEntries(table('Uploaded videos'))).toEqual({
      'Aspect ratio': aspectRatios.map(({ name }) => name).join(' or '),
      'Container formats': containers.join(', '),
      'Audio sample rate': `${audio.sampleRateHz / 1000} kHz`,
      'Audio channels': audio.channels.length === 2 ? 'stereo or mono' : '',
      'Audio codec': audio.codec,
      'Audio bitrate': `at most ${audio.bitrateKbps.max} kbps`,
    });
  });

  test('each of the 30 containers has its demuxers', () => {
    expect(UPLOAD.containers).toHaveLength(30);
    for (const name of UPLOAD.containers) expect(DEMUXERS_OF_CONTAINER[name].length).toBeGreaterThan(0);
  });
});

describe('errors of requests', () => {
  test('subcodes and permission errors match', () => {
    const [subcodes, permissions] = tables('Errors') as [string[][], string[][]];
    expect(subcodes).toEqual(Object.entries(SUBCODES).map(([name, { summary }]) => [name, summary]));
    expect(permissions.map(([code, subcode]) => [code, Number(subcode)])).toEqual([
      ['200', ELIGIBILITY.tooYoung.subcode],
      ['200', ELIGIBILITY.tooFewFollowers.subcode],
    ]);
    expect(permissions[0]?.[2]).toContain(String(ELIGIBILITY.minimumProfileAgeDays));
    expect(permissions[1]?.[2]).toContain(String(ELIGIBILITY.minimumFollowers));
  });
});
