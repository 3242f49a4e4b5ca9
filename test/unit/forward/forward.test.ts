import { Continuity, SEAM_MS } from '../../../src/forward/core/continuity.js';
import { Forward, type ForwardTerms, type Outgoing } from '../../../src/forward/core/forward.js';
import { FORWARD_LIMITS } from '../../../src/forward/core/limits.js';
import { asSentMetadata, type PacketKind, type PacketRole, roleOf } from '../../../src/forward/core/packets.js';

const ALWAYS: ForwardTerms = { isEnabled: true, when: 'always' };
const HEALTHY: ForwardTerms = { isEnabled: true, when: 'healthy' };
const FRAME_MS = 40;
const GOP_MS = 2_000;

/** A forward whose encoder sends a frame and a packet of sound each 40 ms, a key frame each 2 s. */
class Bench {
  nowMs = 1_000;
  readonly forward: Forward;
  /** Timestamp of the encoder. */
  timestampMs = 0;
  bytesPerFrame = 4;

  constructor(terms: ForwardTerms = ALWAYS) {
    this.forward = new Forward(terms, this.nowMs, () => 0.5);
  }

  give(kind: PacketKind, role: PacketRole, text: string, track = 0): void {
    const bytes = new Uint8Array(Math.max(this.bytesPerFrame, text.length));
    bytes.set(Buffer.from(text));
    this.forward.packet({ kind, role, track, timestampMs: this.timestampMs, bytes, atMs: this.nowMs });
  }

  begin(headers = 'one'): this {
    this.forward.begin(this.nowMs);
    this.give('data', 'metadata', `meta ${headers}`);
    this.give('video', 'header', `avc ${headers}`);
    this.give('audio', 'header', `aac ${headers}`);
    return this;
  }

  /** `each`: after each frame; by default nothing is taken. */
  stream(forMs: number, each: () => void = () => undefined): this {
    for (const endMs = this.nowMs + forMs; this.nowMs < endMs; this.nowMs += FRAME_MS, this.timestampMs += FRAME_MS) {
      this.give('video', this.timestampMs % GOP_MS === 0 ? 'key' : 'other', `v${this.timestampMs}`);
      this.give('audio', 'other', `a${this.timestampMs}`);
      this.forward.tick(this.nowMs);
      each();
    }
    return this;
  }

  connect(): this {
    this.forward.connecting(this.nowMs);
    this.forward.opened(this.nowMs);
    return this;
  }

  /** What goes out now, as `kind time text`. */
  sent(): string[] {
    return this.taken().map(({ kind, timestampMs, bytes }) => `${kind} ${timestampMs} ${textOf(bytes)}`);
  }

  taken(): Outgoing[] {
    const out: Outgoing[] = [];
    for (let next = this.forward.next(); next !== undefined; next = this.forward.next()) out.push(next);
    return out;
  }

  get state(): string {
    return this.forward.state;
  }

  view() {
    return this.forward.view(this.nowMs);
  }

  pass(ms: number): this {
    this.nowMs += ms;
    this.forward.tick(this.nowMs);
    return this;
  }
}

const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString().replace(/\0+$/, '');

describe('a forward', () => {
  test('begins with metadata, sequence headers and the first key frame, at time 0', () => {
    const bench = new Bench();
    expect(bench.state).toBe('waiting');
    bench.timestampMs = 61_960;
    bench.begin();
    bench.stream(40);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(false);
    bench.stream(80);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
    bench.forward.connecting(bench.nowMs);
    expect(bench.state).toBe('connecting');
    bench.forward.opened(bench.nowMs);
    expect(bench.state).toBe('sending');
    expect(bench.sent()).toEqual([
      'data 0 meta one',
      'video 0 avc one',
      'audio 0 aac one',
      'video 0 v62000',
      'audio 0 a62000',
      'video 40 v62040',
      'audio 40 a62040',
    ]);
  });

  test('sends sound of the first picture that came before it, and none from before', () => {
    const bench = new Bench();
    bench.begin();
    bench.timestampMs = 60;
    bench.give('audio', 'other', 'old');
    bench.timestampMs = 110;
    bench.give('audio', 'other', 'early');
    bench.timestampMs = 100;
    bench.give('video', 'key', 'key');
    bench.timestampMs = 90;
    bench.give('audio', 'other', 'late');
    bench.connect();
    expect(bench.sent().slice(3)).toEqual(['video 0 key', 'audio 10 early']);
  });

  test('begins with sound where there is no video', () => {
    const bench = new Bench().begin();
    for (let at = 0; at < 60; at++, bench.timestampMs += 20) bench.give('audio', 'other', `a${at}`);
    bench.connect();
    expect(bench.sent().slice(3, 5)).toEqual(['audio 0 a50', 'audio 20 a51']);
  });

  test('keeps what the encoder sends while the first connection is opened', () => {
    const bench = new Bench().begin().stream(6_000);
    bench.connect();
    expect(bench.taken()).toHaveLength(3 + 300);
    expect(bench.view().droppedMs).toBe(0);
  });

  test('goes on over the same connection, without a gap in time, where the encoder returns', () => {
    const bench = new Bench().begin();
    bench.connect().stream(4_000);
    expect(bench.sent().at(-1)).toBe('audio 3960 a3960');
    bench.forward.pause(bench.nowMs);
    expect(bench.state).toBe('waiting');
    bench.pass(20_000);
    expect(bench.forward.isConnected).toBe(true);
    bench.timestampMs = 0;
    bench.begin('one').stream(80);
    expect(bench.state).toBe('sending');
    expect(bench.sent()).toEqual([
      `video ${3_960 + SEAM_MS} v0`,
      `audio ${3_960 + SEAM_MS} a0`,
      `video ${4_000 + SEAM_MS} v40`,
      `audio ${4_000 + SEAM_MS} a40`,
    ]);
  });

  test('sends sequence headers again where they change', () => {
    const bench = new Bench().begin();
    bench.connect().stream(4_000);
    bench.taken();
    bench.forward.pause(bench.nowMs);
    bench.timestampMs = 0;
    bench.begin('two').stream(40);
    expect(bench.sent().map((each) => each.replace(/ \d+ /, ' '))).toEqual([
      'data meta two',
      'video avc two',
      'audio aac two',
      'video v0',
      'audio a0',
    ]);
    bench.give('video', 'header', 'avc two');
    bench.give('video', 'header', 'avc three');
    expect(bench.sent().map((each) => each.replace(/ \d+ /, ' '))).toEqual(['video avc three']);
  });

  test('sends no time before the last one of a track', () => {
    const bench = new Bench().begin();
    bench.connect().stream(400);
    const before = bench.taken();
    bench.timestampMs -= 100;
    bench.stream(400);
    for (const kind of ['audio', 'video'] as const) {
      const times = [...before, ...bench.taken()].filter((each) => each.kind === kind).map((each) => each.timestampMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
    }
  });

  test('cuts to the newest key frame when a slow target has more than 8 s to take, and counts the gap', () => {
    const bench = new Bench().begin();
    bench.connect().stream(200);
    bench.taken();
    bench.stream(8_200);
    expect(bench.state).toBe('behind');
    expect(bench.forward.takeNotices()).toEqual([{ what: 'behind', observed: 'more than 8 s of it waited' }]);
    expect(bench.sent()[0]).toBe('video 8000 v8000');
    expect(bench.view().droppedMs).toBe(8_000 - 160 - SEAM_MS);
    bench.stream(FORWARD_LIMITS.behindMs, () => bench.taken());
    expect(bench.state).toBe('sending');
  });

  test('holds at most 16 MiB for a target, by dropping to the next key frame', () => {
    const bench = new Bench().begin();
    bench.connect();
    bench.bytesPerFrame = 1024 * 1024;
    let most = 0;
    bench.stream(4_000, () => {
      most = Math.max(most, bench.forward.queuedBytes);
    });
    expect(most).toBeLessThanOrEqual(FORWARD_LIMITS.queueBytes);
    expect(bench.state).toBe('behind');
  });

  test('is left after 10 s in which the target takes nothing, and tried again after 1, 2, 4 … 30 s', () => {
    const bench = new Bench().begin();
    bench.connect().stream(200);
    bench.taken();
    bench.forward.progress(1_000, bench.nowMs, bench.nowMs);
    bench.stream(FORWARD_LIMITS.stallMs - 40);
    expect(bench.forward.isConnected).toBe(true);
    bench.stream(80);
    expect(bench.forward.isConnected).toBe(false);
    expect(bench.state).toBe('retrying');
    const pauses: number[] = [];
    for (let attempt = 0; attempt < 8; attempt++) {
      const { nextTryMs = 0 } = bench.view();
      pauses.push(Math.round((nextTryMs - bench.nowMs) / 100) / 10);
      while (!bench.forward.wantsConnection(bench.nowMs)) bench.stream(40);
      bench.forward.connecting(bench.nowMs);
      expect(bench.state).toBe('retrying');
      bench.forward.lost('connection refused', bench.nowMs);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30, 30]);
    expect(bench.view()).toMatchObject({ attempts: 8, reason: 'connection refused' });
    expect(bench.forward.takeNotices().filter(({ what }) => what === 'lost')).toHaveLength(1);
  });

  test('is not left where nothing waits for the target', () => {
    const bench = new Bench().begin();
    bench.connect().stream(200);
    bench.taken();
    bench.forward.progress(1_000, undefined, bench.nowMs);
    bench.pass(60_000);
    expect(bench.forward.isConnected).toBe(true);
  });

  test('counts each loss of a connection that published, and begins anew at the newest key frame', () => {
    const bench = new Bench().begin();
    bench.connect().stream(3_000);
    bench.taken();
    bench.forward.lost('closed by the target', bench.nowMs);
    bench.stream(3_000);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
    bench.connect();
    expect(bench.sent().slice(0, 4)).toEqual([
      'data 0 meta one',
      'video 0 avc one',
      'audio 0 aac one',
      'video 0 v4000',
    ]);
    bench.forward.lost('closed by the target', bench.nowMs);
    expect(bench.forward.takeNotices().map(({ what }) => what)).toEqual(['lost', 'lost']);
  });

  test('is refused, tried again after 60 s, and keeps the words of the target', () => {
    const bench = new Bench().begin().stream(400);
    const words = { level: 'error', code: 'NetStream.Publish.Denied', description: 'Invalid stream key', atMs: 5 };
    for (let attempt = 0; attempt < 3; attempt++) {
      bench.forward.connecting(bench.nowMs);
      bench.forward.refused(words, 'Invalid stream key', bench.nowMs);
      expect(bench.state).toBe('refused');
      const { nextTryMs = 0, lastStatus } = bench.view();
      expect(nextTryMs - bench.nowMs).toBe(60_000);
      expect(lastStatus).toEqual(words);
      bench.stream(60_000);
      expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
    }
    expect(bench.forward.takeNotices()).toEqual([{ what: 'refused', observed: 'Invalid stream key' }]);
  });

  test('is tried again soon where a target takes the lost connection for one that still publishes', () => {
    const bench = new Bench().begin();
    bench.connect().stream(400);
    bench.forward.lost('reset', bench.nowMs);
    bench.stream(1_200);
    bench.forward.connecting(bench.nowMs);
    const busy = { level: 'error', code: 'NetStream.Publish.BadName', description: 'Already publishing', atMs: 5 };
    bench.forward.refused(busy, 'Already publishing', bench.nowMs);
    expect(bench.state).toBe('retrying');
  });

  test('is tried again soon where another process may have sent the beginning of the stream', () => {
    const bench = new Bench();
    bench.forward.begin(bench.nowMs, true);
    bench.stream(400);
    bench.forward.connecting(bench.nowMs);
    const busy = { level: 'error', code: 'NetStream.Publish.BadName', description: 'Already publishing', atMs: 5 };
    bench.forward.refused(busy, 'Already publishing', bench.nowMs);
    expect(bench.state).toBe('retrying');
  });

  test('is left when the answer to the publish does not come', () => {
    const bench = new Bench().begin().stream(400);
    bench.forward.connecting(bench.nowMs);
    bench.stream(FORWARD_LIMITS.connectMs + 80);
    expect(bench.state).toBe('retrying');
  });

  test('closes the connection when the broadcast ends, or when it is switched off', () => {
    const bench = new Bench().begin();
    bench.connect().stream(400);
    bench.forward.end(bench.nowMs);
    expect([bench.state, bench.forward.isConnected]).toEqual(['waiting', false]);
    bench.begin().stream(400);
    bench.connect();
    bench.forward.change({ ...ALWAYS, isEnabled: false }, bench.nowMs);
    expect([bench.state, bench.forward.isConnected]).toEqual(['off', false]);
    expect(bench.forward.takeNotices()).toEqual([]);
  });
});

describe('tracks beside the first', () => {
  const sentTo = (takesTracks: boolean): string[] => {
    const bench = new Bench().begin();
    bench.give('video', 'header', 'avc two', 1);
    bench.give('video', 'key', 'early', 1);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(false);
    bench.stream(80, () => bench.give('video', 'key', `w${bench.timestampMs}`, 1));
    bench.forward.connecting(bench.nowMs);
    bench.forward.opened(bench.nowMs, takesTracks);
    return bench.sent();
  };

  test('go to a target that reads several, behind their header', () => {
    expect(sentTo(true)).toEqual([
      ...['data 0 meta one', 'video 0 avc one', 'audio 0 aac one', 'video 0 avc two'],
      ...['video 0 v0', 'audio 0 a0', 'video 0 w0', 'video 40 v40', 'audio 40 a40', 'video 40 w40'],
    ]);
  });

  test('have their header sent once', () => {
    const bench = new Bench().begin().connect();
    bench.forward.opened(bench.nowMs, true);
    bench.stream(40);
    bench.give('video', 'header', 'avc two', 1);
    bench.stream(2 * GOP_MS, () => bench.give('video', 'key', `w${bench.timestampMs}`, 1));
    expect(bench.sent().filter((each) => each.endsWith('avc two'))).toHaveLength(1);
  });

  test('are left out for any other target', () => {
    expect(sentTo(false)).toEqual([
      ...['data 0 meta one', 'video 0 avc one', 'audio 0 aac one'],
      ...['video 0 v0', 'audio 0 a0', 'video 40 v40', 'audio 40 a40'],
    ]);
  });
});

describe('a forward of healthy streams', () => {
  test('sends from the first key frame after ten seconds without an open error', () => {
    const bench = new Bench(HEALTHY).begin().stream(9_960);
    expect(bench.state).toBe('waiting');
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(false);
    bench.stream(200);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
    bench.connect();
    expect(bench.sent()[3]).toBe('video 0 v10000');
  });

  test('sends nothing while an error is open, and goes on without a gap at the key frame after the clearing', () => {
    const bench = new Bench(HEALTHY).begin().stream(12_000);
    bench.connect();
    const last = bench.taken().at(-1)?.timestampMs ?? 0;
    bench.forward.errors([6210], bench.nowMs);
    expect(bench.state).toBe('held');
    expect(bench.view().heldBy).toEqual([6210]);
    bench.stream(5_000);
    expect(bench.sent()).toEqual([]);
    bench.forward.errors([], bench.nowMs);
    expect(bench.state).toBe('sending');
    bench.stream(1_080);
    expect(bench.sent()[0]).toBe(`video ${last + SEAM_MS} v18000`);
    expect(bench.view().droppedMs).toBe(0);
  });

  test('waits ten seconds after an error that was open before it first sent', () => {
    const bench = new Bench(HEALTHY).begin().stream(5_000);
    bench.forward.errors([6301], bench.nowMs);
    bench.stream(8_000);
    expect(bench.state).toBe('held');
    bench.forward.errors([], bench.nowMs);
    bench.stream(9_000);
    expect(bench.state).toBe('waiting');
    bench.stream(2_000);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(false);
    bench.stream(2_000);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
  });

  test('does not count a target that leaves while nothing is sent as a loss', () => {
    const bench = new Bench(HEALTHY).begin().stream(12_000);
    bench.connect();
    bench.forward.errors([6210], bench.nowMs);
    bench.forward.lost('closed by the target', bench.nowMs);
    expect(bench.state).toBe('held');
    expect(bench.forward.takeNotices()).toEqual([]);
    bench.forward.errors([], bench.nowMs);
    bench.stream(2_040);
    expect(bench.forward.wantsConnection(bench.nowMs)).toBe(true);
  });
});

describe('the time of a broadcast', () => {
  test('goes on over a wrap of 32 bits, and shifts both tracks together where the clock starts again', () => {
    const time = new Continuity();
    expect(time.at('video', 0xffff_fff0)).toBe(0);
    expect(time.at('audio', 0xffff_fffa)).toBe(10);
    expect(time.at('video', 24)).toBe(40);
    expect(time.at('video', 3_000_000)).toBe(40 + SEAM_MS);
    expect(time.at('audio', 3_000_010)).toBe(40 + SEAM_MS + 10);
    time.seam();
    expect(time.at('video', 5)).toBe(40 + SEAM_MS + 10 + SEAM_MS);
  });
});

describe('the role of a packet', () => {
  test.each([
    ['video', [0x17, 0], 'header'],
    ['video', [0x17, 1], 'key'],
    ['video', [0x17, 2], 'other'],
    ['video', [0x12, 0], 'key'],
    ['video', [0x92, 0x61, 0x76, 0x63, 0x31], 'other'],
    ['video', [0x27, 1], 'other'],
    ['video', [0x90, 0x68, 0x76, 0x63, 0x31], 'header'],
    ['video', [0x91, 0x68, 0x76, 0x63, 0x31], 'key'],
    ['video', [0xa3, 0x68, 0x76, 0x63, 0x31], 'other'],
    ['video', [0x97, 2, 0, 0, 100, 0x00, 0x68, 0x76, 0x63, 0x31], 'header'],
    ['video', [0x97, 2, 0, 0, 100, 0x07, 0, 9, 0x01, 0x68, 0x76, 0x63, 0x31], 'key'],
    ['video', [0x97, 2, 0, 0], 'other'],
    ['audio', [0x97, 2, 0, 0, 100, 0x00, 0x6d, 0x70, 0x34, 0x61], 'header'],
    ['audio', [0xaf, 0], 'header'],
    ['audio', [0xaf, 1], 'other'],
    ['audio', [0x90, 0x6d, 0x70, 0x34, 0x61], 'header'],
    ['audio', [0x2f, 0], 'other'],
    ['data', [2], 'metadata'],
  ] as const)('of %s %j is %s', (kind, bytes, role) => {
    expect(roleOf(kind, { length: bytes.length, byteAt: (at) => bytes[at] ?? 0 })).toBe(role);
  });
});

test('metadata is sent after @setDataFrame, once', () => {
  const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1');
  const bare = Buffer.from('\x02\x00\x0aonMetaData\x05', 'latin1');
  const set = `\x02\x00\x0d@setDataFrame${bare.toString('latin1')}`;
  expect(text(asSentMetadata(bare))).toBe(set);
  expect(text(asSentMetadata(Buffer.from(set, 'latin1')))).toBe(set);
  expect(text(asSentMetadata(Buffer.from(`\0${set}`, 'latin1')))).toBe(set);
});
