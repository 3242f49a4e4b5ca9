/** Messages between the page and the worker that judges one file. Structured clones: plain data and the file itself. */
import type { FileResult } from '../../../check/file-report.js';
import type { HouseSpec } from '../../../spec/house.js';
import type { ChartBounds, History } from '../dashboard/charts/chart-data.js';

/** The rules by which a file is judged. */
export type MeantAs = FileResult['spec'];

/** The only message to a worker. */
export type Request =
  | { readonly type: 'judge'; readonly file: File; readonly meantAs: MeantAs; readonly house: HouseSpec | undefined }
  | { readonly type: 'bounds'; readonly text: string; readonly name: string };

/** A file that was judged, with what the page shows beside the result. */
export interface Judged {
  readonly result: FileResult;
  /** Values of each second, merged for long files. */
  readonly history: History;
  readonly bounds: ChartBounds;
  /** Remedies by encoder family (`''`: any encoder) and code, for the codes of the result. */
  readonly remedies: Readonly<Record<string, Readonly<Record<number, string>>>>;
  /** Name of own bounds. */
  readonly spec?: string;
}

export type Answer =
  | { readonly type: 'progress'; readonly bytes: number; readonly findings: number }
  | ({ readonly type: 'judged' } & Judged)
  | { readonly type: 'bounds'; readonly house: HouseSpec }
  /** `reason` tells the user why the file cannot be read, or the bounds not used. */
  | { readonly type: 'refused'; readonly reason: string };
