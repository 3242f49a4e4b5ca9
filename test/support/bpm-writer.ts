/** Writes the SEI messages with which OBS reports its own measurements, as NAL units. */
import { sei } from './h264-writer.js';

const UUIDS = {
  times: '0aecffe752724e2fa62fd19cd61a93b5',
  session: 'ca60e71c6a8b4388a377151df7bf8ac2',
  encoder: 'f1fbc1d5101e4fb5a61eb8ce3c07b8c0',
};

export interface Performance {
  readonly composedMs?: number;
  readonly interleavedMs?: number;
  readonly rendered?: number;
  readonly lagged?: number;
  readonly dropped?: number;
  readonly sent?: number;
  readonly input?: number;
  readonly skipped?: number;
}

/** The three messages of a key frame. */
export function performanceSei(counts: Performance): Uint8Array[] {
  const { composedMs = Date.UTC(2026, 0, 15, 12), interleavedMs = composedMs + 50 } = counts;
  const { rendered = 0, lagged = 0, dropped = 0, sent = 0, input = 0, skipped = 0 } = counts;
  const interleaved = [time(4, interleavedMs)];
  return [
    message(UUIDS.times, [time(1, composedMs), time(2, composedMs + 5), time(3, composedMs + 9), ...interleaved], []),
    message(UUIDS.session, interleaved, [rendered, lagged, dropped, sent]),
    message(UUIDS.encoder, interleaved, [input, skipped, input - skipped]),
  ].map((payload) => sei(5, payload));
}

export function message(uuid: string, times: readonly Uint8Array[], counters: readonly number[]): Uint8Array {
  const counted = counters.flatMap((value, i) => [
    i + 1,
    value >>> 24,
    (value >>> 16) & 255,
    (value >>> 8) & 255,
    value & 255,
  ]);
  return Uint8Array.from([
    ...Buffer.from(uuid, 'hex'),
    0xf0 | (times.length - 1),
    ...times.flatMap((bytes) => [...bytes]),
    ...(counters.length === 0 ? [] : [0xf0 | (counters.length - 1), ...counted]),
  ]);
}

function time(event: number, ms: number): Uint8Array {
  return Uint8Array.from([1, event, ...Buffer.from(new Date(ms).toISOString()), 0]);
}
