/** The shape of one row of the error catalogue. */
import type { Severity } from '../spec/error-record.js';

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

/** Seconds for prose: 4050 → '4.05 s'. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(2))} s`;
}
