/** A finding of a rule or the service, for a record. */
import type { PacketFacts } from '../../facts/measures/packet-facts.js';
import type { MatchDetails, Observed, SettingChange, Severity } from '../../spec/error-record.js';
import type { CatalogueEntry } from '../catalogue-entry.js';

export interface Finding {
  readonly entry: CatalogueEntry;
  readonly observed: Observed;
  readonly limit: Observed;
  /** Values of the additional placeholders in the sentence. */
  readonly placeholders: Readonly<Record<string, string>>;
  readonly severity: Severity;
  /** In place of the remedy for the encoder. */
  readonly remedy?: string | undefined;
  readonly changes?: readonly SettingChange[] | undefined;
  readonly match?: MatchDetails | undefined;
  /** ID of the forward that it is about. */
  readonly forward?: string | undefined;
  /** The service noted it. No packet repeats it, so each count is written at once. */
  readonly isNoted?: true;
  /** The first packet of the evidence. */
  readonly first: PacketFacts;
}
