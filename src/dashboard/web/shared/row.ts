/** What a row of the page is. */
import type { ErrorView } from '../../../spec/error-view.js';
import type { HealthView } from '../../view/protocol.js';

/** What is seen: the observed values, and how long the broadcast has lasted by the wall, over all its connections. */
export type Seen = HealthView & { readonly broadcast_ms?: number };

export interface Gauge {
  readonly value: number;
  readonly min: number;
  readonly max: number;
}

/** A row as it is written down. */
export interface RowText {
  readonly id: string;
  readonly title: string;
  /** Types of the faults that say that it is broken. */
  readonly faults: readonly string[];
  /** Has a value that people set or watch; the others matter when they are broken. */
  readonly watched?: true;
  /** What the specification asks, for what is seen where that matters. */
  bound(health: HealthView | undefined): string;
  /** `undefined`: there is nothing to judge yet. `against`: the records that speak against the row now. */
  observed(seen: Seen, against: readonly ErrorView[]): string | undefined;
  /** For a bar: the value with the band that is allowed. */
  gauge?(seen: Seen, against: readonly ErrorView[]): Gauge | undefined;
}
