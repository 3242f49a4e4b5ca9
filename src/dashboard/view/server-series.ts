/** The state of a server over a day, one point a minute. Pure. */
import type { ServerState } from './server-state.js';

/**
 * Columns of a point. `at`: wall time in ms. `cpu_percent` is of one core and of the time since the point before, as is
 * `received_kbps`; `loop_delay_ms` is the highest of all roles.
 */
export const SERVER_COLUMNS = [
  'at',
  'cpu_percent',
  'resident_bytes',
  'publishers',
  'received_kbps',
  'loop_delay_ms',
] as const;

export type ServerColumn = (typeof SERVER_COLUMNS)[number];

/** `null`: not known. */
export type ServerPoint = readonly (number | null)[];

export interface ServerSample {
  readonly atMs: number;
  readonly state: ServerState;
}

export const SERVER_HISTORY = {
  everyMs: 60_000,
  /** A day. */
  points: 1_440,
} as const;

/** `before`: the sample of the same process before this one; without it, rates are not known. */
export function serverPoint({ atMs, state }: ServerSample, before: ServerSample | undefined): ServerPoint {
  const passedMs = before === undefined ? 0 : atMs - before.atMs;
  const rate = (now: number, then: number | undefined): number | null =>
    then === undefined || passedMs <= 0 || now < then ? null : (now - then) / passedMs;
  const cpu = rate(cpuSeconds(state), before && cpuSeconds(before.state));
  const received = rate(state.received_bytes, before?.state.received_bytes);
  return [
    Math.round(atMs),
    cpu === null ? null : Number((100_000 * cpu).toFixed(1)),
    state.roles.reduce((sum, { resident_bytes: bytes }) => sum + bytes, 0),
    state.publishers,
    received === null ? null : Math.round(8 * received),
    Number(Math.max(0, ...state.roles.map(({ loop_delay_ms: delayMs }) => delayMs)).toFixed(1)),
  ];
}

const cpuSeconds = ({ roles }: ServerState): number =>
  roles.reduce((sum, { cpu_seconds: seconds }) => sum + seconds, 0);

/** The points of the last day, with one more. */
export function withServerPoint(points: readonly ServerPoint[], point: ServerPoint): readonly ServerPoint[] {
  const sinceMs = (point[0] ?? 0) - SERVER_HISTORY.points * SERVER_HISTORY.everyMs;
  const kept = points.filter(([atMs]) => typeof atMs === 'number' && atMs > sinceMs && atMs < (point[0] ?? 0));
  return [...kept, point].slice(-SERVER_HISTORY.points);
}
