/** Causes (6901 to 6908): a stream over a simulated link names the right one within 15 s, and no other. */
import { describe, expect, test } from '@jest/globals';
import { byteLength, SHOWN_BYTES } from '../../src/lib/text.js';
import type { RecordBody } from '../../src/spec/error-record.js';
import { performanceSei } from '../support/bpm-writer.js';
import { type SynthMessage, type SynthOptions, synthStream } from '../support/synth-stream.js';
import { judgeStream, LiveRun } from './harness.js';

const CAUSES = [6901, 6902, 6903, 6904, 6905, 6906, 6907, 6908];
/** Faults start here in stream time, after a stream without any. */
const STEADY_MS = 30_000;

/** A link with a rate in kbit/s at each time: a message is through when all before it and its own bytes are. */
function link(kbpsAt: (ms: number) => number): (dueMs: number, message: SynthMessage) => number {
  let freeMs = 0;
  return (dueMs, { payload }) => {
    freeMs = Math.max(freeMs, dueMs);
    let bits = payload.length * 8;
    while (bits > 0) {
      const kbps = kbpsAt(freeMs);
      const sentMs = kbps === 0 ? 10 : Math.min(10, bits / kbps);
      bits -= kbps * sentMs;
      freeMs += sentMs;
    }
    return freeMs;
  };
}

const narrowFrom = (kbps: number) => link((ms) => (ms < STEADY_MS ? 20_000 : kbps));

function started(): LiveRun {
  return new LiveRun().connect().goLive();
}

function causes(run: LiveRun): number[] {
  return run.codes.filter((code) => CAUSES.includes(code));
}

function record(run: { readonly records: readonly RecordBody[] }, code: number): RecordBody {
  const found = run.records.find(({ error_code }) => error_code === code);
  if (found === undefined) throw new Error(`no ${code}`);
  return found;
}

/** Wall time from `STEADY_MS` to the raising of a record. */
function delayMs(run: LiveRun, startMs: number, code: number): number {
  return record(run, code).timestampMs - startMs - STEADY_MS;
}

function wallMs(run: LiveRun): number {
  return run.now.wallMs;
}

/** Drops video frames from `STEADY_MS` on. */
function withoutFrames(options: SynthOptions, drops: (frame: number) => boolean): Generator<SynthMessage> {
  let frame = 0;
  return synthStream({
    ...options,
    edit: (each) => {
      if (each.kind !== 'video' || each.timestampMs < STEADY_MS) return [each];
      frame++;
      return drops(frame) ? [] : [each];
    },
  });
}

describe('6902 UPLINK_TOO_SMALL', () => {
  test('is named within 15 s, with what the link carries, and explains 6406', () => {
    const run = started();
    const startMs = wallMs(run);
    run.deliver({ durationMs: 90_000 }, narrowFrom(1900));
    expect(causes(run)).toEqual([6902]);
    expect(delayMs(run, startMs, 6902)).toBeLessThanOrEqual(15_000);
    const cause = record(run, 6902);
    expect(cause.observed).toBeGreaterThan(1700);
    expect(cause.observed).toBeLessThan(2000);
    expect(cause.description).toMatch(
      /The uplink carries 1\.\d of 2\.\d Mbit\/s\. With ffmpeg: lower -b:v and -maxrate to 1,\d00 kbps/,
    );
    const starved = record(run, 6406);
    expect(starved.cause).toBe(6902);
    expect(starved.description).toMatch(
      /\(over 30 s\) because the uplink carries 1\.\d of 2\.\d Mbit\/s; at least 0.9/,
    );
    expect(byteLength(starved.description)).toBeLessThanOrEqual(SHOWN_BYTES);
  });

  test('is not named for a link that carries the stream', () => {
    const run = started().deliver({ durationMs: 60_000 }, narrowFrom(3500));
    expect(run.codes).toEqual([]);
  });

  test('is cleared when the link carries the stream again', () => {
    const run = started().deliver(
      { durationMs: 120_000 },
      link((ms) => (ms > STEADY_MS && ms < 60_000 ? 1900 : 20_000)),
    );
    expect(causes(run)).toEqual([6902]);
    expect(record(run, 6902).cleared_time_ms).not.toBeNull();
  });
});

describe('6901 NETWORK_OUTAGE and 6907 SOURCE_PAUSED', () => {
  test('an interruption whose media follows in a burst is an outage', () => {
    const run = started();
    const startMs = wallMs(run);
    run.deliver(
      { durationMs: 60_000 },
      link((ms) => (ms > STEADY_MS && ms < STEADY_MS + 6000 ? 0 : 20_000)),
    );
    expect(causes(run)).toEqual([6901]);
    expect(delayMs(run, startMs, 6901)).toBeLessThanOrEqual(15_000);
    expect(record(run, 6406)).toMatchObject({ cause: 6901 });
    expect(record(run, 6406).description).toContain('because the connection was interrupted for ');
  });

  test('a gap of the timestamps as long as the silence is a pause of the source', () => {
    const run = started();
    const edit: SynthOptions['edit'] = (message) =>
      message.timestampMs > STEADY_MS && message.timestampMs < STEADY_MS + 4500 ? [] : [message];
    run.deliver({ durationMs: 60_000, edit }, (dueMs) => dueMs);
    expect(causes(run)).toEqual([6907]);
  });

  test('an interruption of less than 2 s has no cause', () => {
    const run = started();
    run.deliver(
      { durationMs: 60_000 },
      link((ms) => (ms > STEADY_MS && ms < STEADY_MS + 1500 ? 0 : 20_000)),
    );
    expect(run.codes).toEqual([]);
  });
});

describe('6901 NETWORK_OUTAGE by lost packets', () => {
  const FRAMES: SynthOptions = { durationMs: 60_000 };

  /** Twice a second, `pauseMs` pass until a lost segment and all behind it are there. */
  const lossy = (pauseMs: number) => (dueMs: number) =>
    dueMs < STEADY_MS || dueMs % 500 > pauseMs ? dueMs : dueMs - (dueMs % 500) + pauseMs;

  /** A look every 5 s while the stream is interrupted: so many segments out of order since the last one. */
  function looks(run: LiveRun, segments: number): LiveRun {
    const startMs = run.atMs + STEADY_MS;
    run.outOfOrder = (atMs) => {
      const sinceMs = atMs - startMs;
      return sinceMs > 0 && sinceMs % 5000 === 0 ? 1000 + (segments * sinceMs) / 5000 : undefined;
    };
    return run;
  }

  test('is named within 15 s, with the time that the stream stood still', () => {
    const run = looks(started(), 80);
    const startMs = wallMs(run);
    run.deliver(FRAMES, lossy(240));
    expect(causes(run)).toEqual([6901]);
    expect(delayMs(run, startMs, 6901)).toBeLessThanOrEqual(15_000);
    expect(record(run, 6901).description).toMatch(
      /was interrupted for \d\.\d+ s of 10 s by lost packets; up to 1 s is tolerated\. Use /,
    );
  });

  test('a sender that pauses for other reasons has no known cause', () => {
    expect(causes(looks(started(), 0).deliver(FRAMES, lossy(240)))).toEqual([]);
    expect(causes(started().deliver(FRAMES, lossy(240)))).toEqual([]);
  });

  test('lost packets that TCP makes up within 200 ms are none', () => {
    expect(causes(looks(started(), 80).deliver(FRAMES, lossy(180)))).toEqual([]);
  });

  test('frames that are missing without a lag, once its queue is full, are not the fault of the encoder', () => {
    const run = looks(started(), 80).deliver(
      withoutFrames(FRAMES, (frame) => frame > 150 && frame % 10 === 0),
      lossy(240),
    );
    expect(causes(run)).toEqual([6901]);
    expect(record(run, 6408)).toMatchObject({ cause: 6901 });
  });

  test('a link that stands still between bursts is not too small, though less comes than the encoder sends', () => {
    const standing = () => link((ms) => (ms < STEADY_MS || ms % 600 < 40 ? 20_000 : 0));
    const run = looks(started(), 80);
    const startMs = wallMs(run);
    run.deliver({ durationMs: 90_000 }, standing());
    expect(causes(run)).toEqual([6901]);
    expect(delayMs(run, startMs, 6901)).toBeLessThanOrEqual(15_000);
    expect(record(run, 6406)).toMatchObject({ cause: 6901 });
    expect(causes(looks(started(), 0).deliver({ durationMs: 90_000 }, standing()))).toEqual([]);
    expect(causes(started().deliver({ durationMs: 90_000 }, standing()))).toEqual([]);
  });

  test('video frames that a sender drops behind lost packets are explained by these', () => {
    const run = looks(started(), 80);
    const held = (dueMs: number) => (dueMs < STEADY_MS ? dueMs : Math.ceil((dueMs + 700) / 600) * 600);
    run.deliver(
      withoutFrames({ durationMs: 90_000 }, (frame) => frame > 150 && frame % 10 === 0),
      held,
    );
    expect(causes(run)).toEqual([6901]);
    expect(record(run, 6408)).toMatchObject({ cause: 6901 });
  });

  test('a standstill of 13 s is named when the stream goes on, while it is still far behind', () => {
    const behind = (dueMs: number) => {
      if (dueMs < STEADY_MS) return dueMs;
      const atMs = dueMs + 13_000 - 0.1 * (dueMs - STEADY_MS);
      return atMs % 500 > 240 ? atMs : atMs - (atMs % 500) + 240;
    };
    const run = looks(started(), 80);
    const startMs = wallMs(run);
    run.deliver(FRAMES, behind);
    expect(causes(run)).toEqual([6901]);
    expect(delayMs(run, startMs, 6901)).toBeLessThanOrEqual(15_000);
    const raised = run.changes.find(({ body }) => body.error_code === 6901)?.body;
    expect(raised?.description).toMatch(/was interrupted for 13(\.\d+)? s; up to 2 s is tolerated/);
    expect(causes(looks(started(), 0).deliver(FRAMES, behind))).toEqual([]);
  });

  test('a full link that drops packets is too small', () => {
    expect(causes(looks(started(), 80).deliver({ durationMs: 90_000 }, narrowFrom(1900)))).toEqual([6902]);
  });
});

describe('6903 SENDER_DROPS_FRAMES and 6905 ENCODER_OVERLOADED', () => {
  test('missing video frames behind a queue are dropped by the sender', () => {
    const run = started();
    const lagged = withoutFrames({ durationMs: 60_000 }, (frame) => frame % 60 > 50);
    run.deliver(lagged, (dueMs) => dueMs + (dueMs < STEADY_MS ? 0 : 700 + 150 * Math.sin(dueMs / 700)));
    expect(causes(run)).toEqual([6903]);
    expect(record(run, 6408)).toMatchObject({ cause: 6903 });
  });

  test('missing video frames without a queue were never encoded', () => {
    const run = started().deliver(
      withoutFrames({ durationMs: 60_000 }, (frame) => frame % 10 === 0),
      (dueMs) => dueMs,
    );
    expect(causes(run)).toEqual([6905]);
    expect(record(run, 6408).description).toContain(
      'of the video frames are missing because the encoder is overloaded',
    );
  });

  test('frames that arrive slowly at the pace of the encoder have no known cause', () => {
    const run = started();
    run.deliver({ durationMs: 70_000 }, (dueMs) => (dueMs < STEADY_MS ? dueMs : STEADY_MS + (dueMs - STEADY_MS) / 0.8));
    expect(causes(run)).toEqual([]);
  });

  test('missing frames of both tracks have no known cause', () => {
    const edit: SynthOptions['edit'] = (message) =>
      message.timestampMs > STEADY_MS && message.timestampMs % 5000 < 400 ? [] : [message];
    const run = started().deliver({ durationMs: 60_000, edit }, (dueMs) => dueMs);
    expect(causes(run)).toEqual([]);
  });
});

describe('6908 SERVER_LATE', () => {
  test('is named alone when the server itself was late', () => {
    const run = started().deliver({ durationMs: STEADY_MS }, (dueMs) => dueMs);
    run
      .stall(6000)
      .deliver({ startMs: STEADY_MS, durationMs: 30_000 }, (dueMs) => Math.max(0, dueMs - STEADY_MS - 6000));
    expect(causes(run)).toEqual([6908]);
    expect(record(run, 6908).observed).toBe(6000);
  });

  test('is named alone when what came meanwhile takes seconds to be read', () => {
    const run = started().deliver({ durationMs: STEADY_MS }, (dueMs) => dueMs);
    run
      .stall(6000)
      .deliver({ startMs: STEADY_MS, durationMs: 40_000 }, (dueMs) =>
        Math.max((dueMs - STEADY_MS) / 3, dueMs - STEADY_MS - 6000),
      );
    expect(causes(run)).toEqual([6908]);
  });

  test('a short delay of the server keeps other causes from being named', () => {
    const run = started().deliver({ durationMs: STEADY_MS }, (dueMs) => dueMs);
    run
      .stall(1900)
      .deliver({ startMs: STEADY_MS, durationMs: 30_000 }, (dueMs) => Math.max(0, dueMs - STEADY_MS - 1900));
    expect(run.codes).toEqual([]);
  });
});

describe('what the encoder reports', () => {
  const reporting = (counts: Parameters<typeof performanceSei>[0]): SynthOptions => ({
    durationMs: 40_000,
    keyFrameNals: performanceSei(counts),
  });

  test.each([
    [{ rendered: 60, lagged: 14 }, 6906, /renders 23\.3 % of the frames too late/],
    [{ input: 60, skipped: 3 }, 6905, /is overloaded and skips 5 % of the frames/],
    [{ sent: 60, dropped: 6 }, 6903, /drops 10 % of its video frames before sending/],
  ] as const)('%j is named, live and in a file', (counts, code, text) => {
    const live = started().deliver(reporting(counts), (dueMs) => dueMs);
    expect(causes(live)).toEqual([code]);
    expect(record(live, code).description).toMatch(text);
    const file = judgeStream(reporting(counts));
    expect(file.records.map(({ error_code }) => error_code)).toEqual([code]);
  });

  test('its shares and the latency are part of the health', () => {
    const run = started();
    const composedMs = run.now.wallMs;
    const counts = { composedMs, rendered: 60, lagged: 3, input: 60, skipped: 6, sent: 120, dropped: 12 };
    run.deliver({ durationMs: 1000, keyFrameNals: performanceSei(counts) }, (dueMs) => dueMs + 80);
    expect(run.judge.health()).toMatchObject({
      renderLagPercent: 5,
      encoderSkipPercent: 10,
      networkDropPercent: 10,
      latencyMs: 80,
    });
    expect(
      started()
        .deliver({ durationMs: 1000 }, (dueMs) => dueMs)
        .judge.health(),
    ).not.toHaveProperty('latencyMs');
  });

  test('2 % is tolerated', () => {
    const counts = { rendered: 100, lagged: 2, input: 100, skipped: 2, sent: 100, dropped: 2 };
    expect(judgeStream(reporting(counts)).records).toEqual([]);
  });
});

test('without analysis no cause is named', () => {
  const run = new LiveRun({ analysis: false }).connect().goLive();
  run.deliver({ durationMs: 60_000 }, narrowFrom(1900));
  expect(run.codes).toEqual([6406]);
});

test('jitter names none', () => {
  const jitter = [0, 31, 4, 250, 12, 90];
  let n = 0;
  const run = started().deliver(
    { durationMs: 180_000, fps: 10, videoKbps: 200 },
    (dueMs) => dueMs + (jitter[n++ % 6] ?? 0),
  );
  expect(causes(run)).toEqual([]);
});

describe('a stream that is read at intervals while it arrives evenly', () => {
  const INTERVAL_MS = 100;

  /** As `Connection` reads it; counts messages of both kinds. */
  function read(run: LiveRun, arrives: (dueMs: number, message: SynthMessage) => number, stream: SynthOptions) {
    const messages = { atIntervals: 0, asTheyArrive: 0 };
    run.deliver(stream, (dueMs, message) => {
      const atMs = arrives(dueMs, message);
      const isEven = run.judge.arrivesEvenly;
      messages[isEven ? 'atIntervals' : 'asTheyArrive']++;
      return isEven ? Math.ceil(atMs / INTERVAL_MS) * INTERVAL_MS + 30 : atMs;
    });
    return messages;
  }

  test('is in no doubt after the first 10 s, and has no cause', () => {
    const run = started();
    const { atIntervals, asTheyArrive } = read(run, (dueMs) => dueMs, { durationMs: 300_000 });
    expect(run.codes).toEqual([]);
    expect(asTheyArrive / (atIntervals + asTheyArrive)).toBeLessThan(0.05);
  });

  test('is read as it arrives on a link that is full, so that 6902 is named', () => {
    const run = started();
    const startMs = wallMs(run);
    const { asTheyArrive } = read(run, narrowFrom(1900), { durationMs: 60_000 });
    expect(causes(run)).toEqual([6902]);
    expect(delayMs(run, startMs, 6902)).toBeLessThanOrEqual(15_000);
    expect(asTheyArrive).toBeGreaterThan(1_000);
  });

  test('names an outage', () => {
    const run = started();
    const halts = link((ms) => (ms > STEADY_MS && ms < STEADY_MS + 6000 ? 0 : 20_000));
    read(run, halts, { durationMs: 60_000 });
    expect(causes(run)).toEqual([6901]);
  });

  test('names a pause of the source', () => {
    const run = started();
    const pauses: SynthOptions['edit'] = (message) =>
      message.timestampMs > STEADY_MS && message.timestampMs < STEADY_MS + 4500 ? [] : [message];
    read(run, (dueMs) => dueMs, { durationMs: 60_000, edit: pauses });
    expect(causes(run)).toEqual([6907]);
  });
});
