/** The shape of one row of the error catalogue. */
import type { Severity } from '../spec/error-record.js';
import { CLEARING, KEY_FRAMES } from '../spec/tolerances.js';

/**
 * `media`: decode times alone decide, so that live, offline and replay agree. `arrival`: the clock decides; absent offline.
 * `both`: whichever comes first. `file`: an uploaded file.
 */
export type JudgedBy = 'media' | 'arrival' | 'both' | 'file';

export type Clearing =
  /** The next conforming header. */
  | { readonly how: 'header' }
  /** So many conforming key frames (and the intervals that they end) in a row. */
  | { readonly how: 'key-frames'; readonly times: number }
  /** Inside the bound for this long. */
  | { readonly how: 'window'; readonly insideMs: number }
  /** The track flows for this long. */
  | { readonly how: 'flow'; readonly flowsMs: number }
  /** The first settings return. */
  | { readonly how: 'settings' }
  /** The connection ends. */
  | { readonly how: 'connection' }
  /** A point in time: over when it is raised. */
  | { readonly how: 'point' };

/** Which of two observed values is worse. */
export type Worst = 'highest' | 'lowest' | 'farthest-from-zero' | 'latest';

/** How values of a row are written for people; the record itself keeps the bare value and the unit. */
export type Unit = '' | 'ms' | 'kbps' | 'fps' | 'Hz' | 'channels' | 'ratio' | '%' | 'key frames/s' | 'level' | 'pixels';

export interface CatalogueEntry {
  readonly code: number;
  readonly type: string;
  readonly severity: Severity;
  readonly judgedBy: JudgedBy;
  readonly title: string;
  /** Row of the published document, or the standard, that is broken. */
  readonly clause: string;
  /** When it is raised, in one sentence with the numbers in force. */
  readonly raisedWhen: string;
  readonly clears: Clearing;
  /** The longest time between the fault and its record: `ms` on the clock of `judgedBy`, `text` says from when. */
  readonly delay: { readonly ms: number; readonly text: string };
  readonly unit: Unit;
  readonly worst: Worst;
  /** What was observed and the bound, as sentences; `{observed}`, `{limit}` and the names that the rule gives are filled in. */
  readonly sentence: string;
  /** Published error_subcode of its records. */
  readonly subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR' | 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION' | 'VIDEO__CREATE_FAILED';
  readonly source: 'stream' | 'service';
  /** Told to the encoder while it streams. */
  readonly pushed: boolean;
}

type Given = Pick<
  CatalogueEntry,
  'code' | 'type' | 'severity' | 'title' | 'clause' | 'raisedWhen' | 'clears' | 'delay' | 'sentence'
> &
  Partial<CatalogueEntry>;

/** Fills in what most rows have in common. */
export function entry(given: Given): CatalogueEntry {
  return {
    judgedBy: 'media',
    unit: '',
    worst: 'latest',
    subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
    source: 'stream',
    pushed: true,
    ...given,
  };
}

/** A row on an uploaded file. */
export function fileEntry(given: Omit<Given, 'severity' | 'clears' | 'delay'>): CatalogueEntry {
  return entry({
    severity: 'error',
    judgedBy: 'file',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the file is probed' },
    subcode: 'VIDEO__CREATE_FAILED',
    source: 'service',
    pushed: false,
    ...given,
  });
}

/** Parts of the published document that rows name as their clause. */
export const CLAUSES = {
  rule: 'Live broadcast specification, rule',
  video: 'Live broadcast specification, video settings',
  audio: 'Live broadcast specification, audio settings',
  profiles: 'Live broadcast specification, profiles',
  upload: 'Uploaded video specification',
} as const;

/** How most rows clear. */
export const CLEARS = {
  nextHeader: { how: 'header' },
  insideWindow: { how: 'window', insideMs: CLEARING.insideMs.value },
  threeKeyFrames: { how: 'key-frames', times: KEY_FRAMES.conformingToClear.value },
  flows: { how: 'flow', flowsMs: CLEARING.flowsMs.value },
  settings: { how: 'settings' },
  connection: { how: 'connection' },
  point: { how: 'point' },
} as const satisfies Readonly<Record<string, Clearing>>;

/** The delay of what one header shows. */
export const AT_HEADER = { ms: 0, text: 'with the header that shows it' } as const;

/** Seconds for prose: 4050 → '4.05 s'. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(2))} s`;
}
