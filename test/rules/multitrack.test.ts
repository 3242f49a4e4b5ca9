/** Several video tracks: each is judged on its own; 6216 for tracks that were not agreed or do not fall together. */
import { describe, expect, test } from '@jest/globals';
import type { EncoderSetup } from '../../src/lifecycle/encoder-setup.js';
import type { SynthMessage } from '../support/synth-stream.js';
import { twoTracks } from '../support/two-tracks.js';
import { feed, judgeStream, newJudge, only, recordsOf, START_WALL_MS } from './harness.js';

const MAIN = { width: 1280, height: 720, levelIdc: 31, videoKbps: 2_750, durationMs: 24_000 };
const SMALL = { width: 640, height: 360, levelIdc: 30, videoKbps: 700, durationMs: 24_000 };
const SETUP: EncoderSetup = {
  configId: 'airlock-1',
  atMs: 0,
  ownerId: '1',
  client: 'obs-studio 32.2.2',
  width: 1280,
  height: 720,
  fps: 30,
  videoKbps: 2_750,
  moreTracks: [{ width: 640, height: 360, fps: 30, videoKbps: 700 }],
};

function judged(messages: Iterable<SynthMessage>, setup: EncoderSetup | undefined = SETUP) {
  const judge = newJudge();
  const now = { wallMs: START_WALL_MS, atMs: 0 };
  judge.connect({ ...now, setup });
  const counter = { messages: 0, bytes: 0 };
  for (const message of messages) feed(judge, message, counter);
  const resume = judge.resume();
  judge.end(now);
  return { judge, resume, records: recordsOf(judge.takeChanges()) };
}

describe('two video tracks', () => {
  test('give no record if they were agreed and conform', () => {
    const { records, judge } = judged(twoTracks(MAIN, SMALL));
    expect(records.map(({ description }) => description)).toEqual([]);
    expect(judge.verdict().find(({ code }) => code === 6216)).toMatchObject({ judged: 'pass', observed: 'as agreed' });
    expect(judge.health()).toMatchObject({ width: 1280, height: 720 });
  });

  test('are held each against its own row, and the record names the track', () => {
    const { records, judge } = judged(twoTracks(MAIN, { ...SMALL, videoKbps: 2_750 }));
    expect(records.map(({ error_code, track }) => [error_code, track])).toEqual([[6210, 1]]);
    expect(records[0]?.description).toMatch(/^\[6210 VIDEO_BITRATE_TOO_HIGH\] Video track 1: /);
    expect(judge.verdict().find(({ code }) => code === 6210)?.judged).toBe('fail');
  });

  test('leave the first track alone: its records name no track', () => {
    const { records } = judged(twoTracks({ ...MAIN, videoKbps: 6_000 }, SMALL));
    expect(records.map(({ error_code, track }) => [error_code, track])).toEqual([[6210, undefined]]);
  });

  test('are judged without having been agreed, beside 6216 with the advice to turn them off', () => {
    const { records } = judged(twoTracks(MAIN, { ...SMALL, keyFrameIntervalMs: 6_000 }), undefined);
    const codes = records.map(({ error_code, track }) => [error_code, track]);
    expect(codes).toContainEqual([6208, 1]);
    const run = judgeStream(twoTracks(MAIN, SMALL));
    expect(only(run, 6216)).toMatchObject({ observed: 'video track 1', limit: 'one track of each kind' });
    expect(only(run, 6216).remediation).toBe(
      'With ffmpeg: map one video and one audio stream (-map 0:v:0 -map 0:a:0).',
    );
  });

  test('that the settings of the server do not name raise 6216 with other advice', () => {
    const { moreTracks: _, ...one } = SETUP;
    const { records } = judged(twoTracks(MAIN, SMALL), one);
    expect(records.map(({ error_code }) => error_code)).toEqual([6216]);
    expect(records[0]?.remediation).toBe(
      'Import the OBS profile of this broadcast again, and change nothing in Settings > Stream.',
    );
    const third = judged(twoTracks(MAIN, SMALL, { trackId: 2 }));
    expect(third.records[0]).toMatchObject({ observed: 'video track 2', limit: '2 video and 1 audio as agreed' });
  });

  test.each([
    ['shifted by 500 ms', 500, {}],
    ['at another interval', 0, { keyFrameIntervalMs: 3_000 }],
  ])('raise 6216 if their key frames are %s', (_name, shiftMs, more) => {
    const { records } = judged(twoTracks(MAIN, { ...SMALL, ...more }, { shiftMs }));
    const apart = records.filter(({ error_code }) => error_code === 6216);
    expect(apart).toHaveLength(1);
    expect(apart[0]?.observed).toMatch(/^key frames of video track 1 \d+ ms away from those of track 0$/);
    expect(apart[0]?.remediation).toContain('same key frame interval');
  });

  test('keep their open records and first settings over a restart', () => {
    const bad = { ...SMALL, videoKbps: 2_750 };
    const { resume } = judged(twoTracks(MAIN, bad));
    const saved = JSON.parse(JSON.stringify(resume)) as typeof resume;
    expect(saved.open.map(({ error_code, track }) => [error_code, track])).toEqual([[6210, 1]]);
    const judge = newJudge({ fence: 2, resume: saved });
    judge.connect({ wallMs: START_WALL_MS, atMs: 0, setup: SETUP });
    const counter = { messages: 0, bytes: 0 };
    for (const message of twoTracks(MAIN, { ...bad, width: 854, height: 480, levelIdc: 31 })) {
      feed(judge, message, counter);
    }
    const changed = recordsOf(judge.takeChanges()).find(({ error_code }) => error_code === 6403);
    expect(changed).toMatchObject({ track: 1, id: '900100_2_1' });
    expect(changed?.description).toContain('640x360');
  });
});
