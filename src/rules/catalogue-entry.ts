/** The shape of one row of the error catalogue. */
import type { RecordSource, Severity } from '../spec/error-record.js';
import { houseSeverity } from '../spec/house.js';
import type { LiveSpecification } from '../spec/live.js';
import { CLEARING, KEY_FRAMES } from '../spec/tolerances.js';

/**
 * `media`: by decode times only, so live, offline and replay agree. `arrival`: by the clock, so never offline. `both`: by
 * whichever reaches the bound first. `file`: uploaded files.
 */
export type JudgedBy = 'media' | 'arrival' | 'both' | 'file';

export type Clearing =
  /** At the next conforming header. */
  | { readonly how: 'header' }
  /** After this many consecutive conforming key frames (each with the interval that it ends). */
  | { readonly how: 'key-frames'; readonly times: number }
  /** After this long inside the bound. */
  | { readonly how: 'window'; readonly insideMs: number }
  /** After the track has flowed for this long. */
  | { readonly how: 'flow'; readonly flowsMs: number }
  /** When the first settings return. */
  | { readonly how: 'settings' }
  /** When the connection ends. */
  | { readonly how: 'connection' }
  /** A point in time: cleared as it is raised. `except`: a sentence on the records that stay open for longer. */
  | { readonly how: 'point'; readonly except?: string };

/** Which of two observed values is worse. */
export type Worst = 'highest' | 'lowest' | 'farthest-from-zero' | 'latest';

/** Unit of a row's values. Selects their display format; the record stores the bare value and the unit. */
export type Unit =
  | ''
  | 'ms'
  | 'kbps'
  | 'fps'
  | 'Hz'
  | 'channels'
  | 'ratio'
  | '%'
  | 'key frames/s'
  | 'level'
  | 'pixels'
  | 'LUFS'
  | 'dB';

export interface CatalogueEntry {
  readonly code: number;
  readonly type: string;
  readonly severity: Severity;
  readonly judgedBy: JudgedBy;
  readonly title: string;
  /** The check, named for the good case: a table of passing rules must not read like a list of faults. */
  readonly passes: string;
  /** Id of the row of the specification on the page that it fails; absent for uploads. */
  readonly row?: string;
  /** Row of the published document, or clause of the standard, that the fault violates. */
  readonly clause: string;
  /** Condition that raises it, in one sentence with its numbers. */
  readonly raisedWhen: string;
  readonly clears: Clearing;
  /** Maximum time from the fault to its record: `ms` on the clock of `judgedBy`, `text` names the starting point. */
  readonly delay: { readonly ms: number; readonly text: string };
  readonly unit: Unit;
  readonly worst: Worst;
  /** Observed value and bound, as sentences with placeholders: `{observed}`, `{limit}` and those of the rule. */
  readonly sentence: string;
  /** Observed value and bound are lists `a, b`, which are shortened by whole items. Other text may contain commas. */
  readonly hasLists: boolean;
  /** Plural of what a value without a unit counts, for tables: `slices`. Sentences name it themselves. */
  readonly counts?: string;
  /** Published error_subcode. Undefined: no published one applies, and the records carry the code. */
  readonly subcode:
    | 'LIVE_VIDEO__LIVE_STREAM_ERROR'
    | 'COPYRIGHT__LIVE_COPYRIGHT_VIOLATION'
    | 'VIDEO__CREATE_FAILED'
    | undefined;
  readonly source: RecordSource;
  /** Pushed to the encoder in an onStatus message. */
  readonly pushed: boolean;
  /** Beyond the published document: `AIRLOCK_ANALYSIS=off` turns it off, and it never ends a broadcast. */
  readonly analysis: boolean;
  /** Concerns the pictures of one video track, so each track of a stream is held against it. */
  readonly perTrack: boolean;
  /** Types of the faults that it explains, if it is a cause and no fault itself. */
  readonly explains?: readonly string[];
  /** Parts of the specification whose numbers the remedies of the encoders name. */
  readonly bounds: readonly (keyof LiveSpecification)[];
}

type RowInput = Pick<
  CatalogueEntry,
  'code' | 'type' | 'severity' | 'title' | 'passes' | 'clause' | 'raisedWhen' | 'clears' | 'delay' | 'sentence'
> &
  Partial<CatalogueEntry>;

/** A row with the common defaults. */
export function entry(row: RowInput): CatalogueEntry {
  return {
    judgedBy: 'media',
    unit: '',
    worst: 'latest',
    hasLists: false,
    subcode: 'LIVE_VIDEO__LIVE_STREAM_ERROR',
    source: 'stream',
    pushed: true,
    analysis: false,
    perTrack: false,
    bounds: [],
    ...row,
    severity: houseSeverity(row.code) ?? row.severity,
  };
}

/** A row beyond the published document: `clause` names a standard, or is `ADVICE`. */
export function analysisEntry(
  row: Omit<RowInput, 'severity'> & { readonly severity: 'warning' | 'info' },
): CatalogueEntry {
  return entry({ analysis: true, ...row });
}

/** `clause` of a rule that no standard states. */
export const ADVICE = "Operator's advice";

/** A row for uploaded files. */
export function fileEntry(row: Omit<RowInput, 'severity' | 'clears' | 'delay'>): CatalogueEntry {
  return entry({
    severity: 'error',
    judgedBy: 'file',
    clears: CLEARS.point,
    delay: { ms: 0, text: 'when the file is probed' },
    subcode: 'VIDEO__CREATE_FAILED',
    source: 'service',
    pushed: false,
    ...row,
  });
}

/** Sections of the published document, for `clause`. */
export const CLAUSES = {
  rule: 'Live broadcast specification, rule',
  goingLive: 'Live broadcast specification, going live',
  video: 'Live broadcast specification, video settings',
  audio: 'Live broadcast specification, audio settings',
  profiles: 'Live broadcast specification, profiles',
  upload: 'Uploaded video specification',
} as const;

/** Common clearing conditions. */
export const CLEARS = {
  nextHeader: { how: 'header' },
  insideWindow: { how: 'window', insideMs: CLEARING.insideMs.value },
  threeKeyFrames: { how: 'key-frames', times: KEY_FRAMES.conformingToClear.value },
  flows: { how: 'flow', flowsMs: CLEARING.flowsMs.value },
  settings: { how: 'settings' },
  connection: { how: 'connection' },
  point: { how: 'point' },
} as const satisfies Readonly<Record<string, Clearing>>;

/** Delay of a fault that a single header shows. */
export const AT_HEADER = { ms: 0, text: 'with the header that shows the fault' } as const;

/** 4512 → '4,512' */
export function groupThousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** 4050 → '4.05 s'. */
export function seconds(ms: number): string {
  return `${Number((ms / 1000).toFixed(2))} s`;
}
