/** A black picture with noise, as x264 encodes it: its key frames are not flat, so that a sample of them is decoded. */
import { expect, test } from '@jest/globals';
import { SliceList } from '../../src/bytes/slices.js';
import { KeyFrameSample } from '../../src/media/flv/latest-headers.js';
import { decodePictureNow } from '../../src/probe/sample-decoder.js';
import { catalogueEntry } from '../../src/rules/registry/catalogue.js';
import type { RecordBody } from '../../src/spec/error-record.js';
import { messagesOf, readFixture } from '../support/fixtures.js';
import type { SynthMessage } from '../support/synth-stream.js';
import { feed, newJudge, recordsOf, START_WALL_MS } from './harness.js';

const BLACK_FROM_MS = 4_000;
const BLACK_TO_MS = 16_000;
const TICK_MS = 100;
const ANSWER_MS = 400;

/** `live`: a key frame is complete only if it was wanted at a tick before it, and its picture comes some time after it. */
function recordOf(messages: Iterable<SynthMessage>, mode: 'file' | 'live', hasDecoder = true) {
  const judge = newJudge({ mode });
  judge.connect({ wallMs: START_WALL_MS, atMs: 0 });
  judge.goLive({ wallMs: START_WALL_MS, atMs: 0 });
  const sample = new KeyFrameSample();
  const counter = { messages: 0, bytes: 0 };
  const answers: { number: number; atMs: number; gray: Uint8Array | undefined }[] = [];
  let isAwake = mode === 'file';
  let tickAtMs = 0;
  for (const message of messages) {
    const atMs = message.timestampMs;
    for (; answers[0] !== undefined && answers[0].atMs <= atMs; answers.shift()) {
      judge.picture(answers[0].number, answers[0].gray);
    }
    for (; mode === 'live' && tickAtMs <= atMs; tickAtMs += TICK_MS) {
      judge.tick({ wallMs: START_WALL_MS + tickAtMs, atMs: tickAtMs });
      isAwake = judge.wantsPicture;
    }
    feed(judge, message, counter, mode === 'live' ? atMs : 0);
    const payload = SliceList.of(message.payload);
    if (message.kind !== 'video' || sample.observe(payload) || !hasDecoder || !isAwake) continue;
    const number = judge.askPicture();
    const flv = number === 0 ? undefined : sample.file(payload);
    if (flv === undefined) continue;
    const gray = decodePictureNow('ffmpeg', flv);
    if (mode === 'file') judge.picture(number, gray);
    else answers.push({ number, atMs: atMs + ANSWER_MS, gray });
  }
  const row = judge.verdict().find(({ code }) => code === 6812);
  judge.end({ wallMs: START_WALL_MS + tickAtMs, atMs: tickAtMs });
  const records: RecordBody[] = recordsOf(judge.takeChanges()).filter(({ error_code }) => error_code >= 6811);
  return { records: records.filter(({ error_code }) => error_code < 6820), judged: row?.judged };
}

test.each(['file', 'live'] as const)('is reported as black, and for no longer than it was (%s)', async (mode) => {
  const { records } = recordOf(await messagesOf(readFixture('x264-black-noise')), mode);
  expect(records.map(({ error_code, count }) => [error_code, count])).toEqual([[6812, 1]]);
  const [black] = records;
  expect(black?.stream_time_ms).toBeLessThanOrEqual(BLACK_FROM_MS + (catalogueEntry(6812)?.delay.ms ?? 0));
  expect(black?.worst).toBeGreaterThanOrEqual(5_000);
  expect(black?.worst).toBeLessThanOrEqual(BLACK_TO_MS - BLACK_FROM_MS);
  expect((black?.cleared_time_ms ?? 0) - START_WALL_MS).toBeLessThan(BLACK_TO_MS + 2_500);
});

test('without a decoder it is not said to be visible while it is black', async () => {
  const messages = [...(await messagesOf(readFixture('x264-black-noise')))];
  const black = messages.filter(({ timestampMs }) => timestampMs === 0 || timestampMs >= BLACK_FROM_MS);
  const upTo = black.filter(({ timestampMs }) => timestampMs < BLACK_TO_MS);
  const headers = upTo.filter(({ timestampMs, payload }) => timestampMs > 0 || payload[1] === 0);
  expect(recordOf(headers, 'file', false)).toEqual({ records: [], judged: 'not-judged' });
});
