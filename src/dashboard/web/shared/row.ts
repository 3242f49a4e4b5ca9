/** Definition of a specification row. */
import type { ErrorView } from '../../../spec/error-view.js';
import type { HealthView } from '../../view/protocol.js';

/** Observed values, and the duration of the broadcast in wall time over all its connections. */
export type Observed = HealthView & { readonly broadcast_ms?: number };

export interface Gauge {
  readonly value: number;
  readonly min: number;
  readonly max: number;
  /** Ends of the bar; absent: from zero to a quarter above the range. */
  readonly scale?: { readonly from: number; readonly to: number };
}

/** For rows without a value: `text` while no error or warning contradicts it. */
export function unlessFailing(text: string, against: readonly ErrorView[]): string | undefined {
  return against.every(({ severity }) => severity === 'info') ? text : undefined;
}

/** For rows of rules beyond the published document: without a value that only their analysis gives, nothing is known. */
export function whenAnalyzed(text: string): RowText['observed'] {
  return ({ picture, loudness_lufs, channel_lufs }, against) =>
    picture === undefined && loudness_lufs === undefined && channel_lufs === undefined
      ? undefined
      : unlessFailing(text, against);
}

/** A row without its group and codes. */
export interface RowText {
  readonly id: string;
  readonly title: string;
  /** Has a value that operators set or watch. The dock shows other rows only while they fail. */
  readonly watched?: true;
  /** The bound of the specification; it may depend on the observed values. */
  bound(health: HealthView | undefined): string;
  /** `undefined`: no data yet. `against`: the records that count against the row. */
  observed(seen: Observed, against: readonly ErrorView[]): string | undefined;
  /** Absent: a value has its record at once if it breaks the bound. False: no verdict on it yet. */
  isMet?(seen: Observed): boolean;
  /** Value and allowed range of the bar. */
  gauge?(seen: Observed, against: readonly ErrorView[]): Gauge | undefined;
}
