/** The specification in force as one document: the numbers, the errors, the tolerances with their reasons. */
import type { CatalogueEntry } from '../rules/catalogue-entry.js';
import { CATALOGUE } from '../rules/registry/catalogue.js';
import type { Condition } from '../spec/house.js';
import { CONDITIONS } from '../spec/in-force.js';
import { LIVE, type LiveSpecification } from '../spec/live.js';
import { ELIGIBILITY, SUBCODES } from '../spec/service-errors.js';
import { TOLERANCES, type Tolerance } from '../spec/tolerances.js';
import { UPLOAD, type UploadSpecification } from '../spec/upload.js';

/** A row of the error catalogue, without the fields that only our own reports and pages use. */
export type ErrorEntry = Omit<CatalogueEntry, 'passes' | 'row' | 'counts' | 'perTrack' | 'explains' | 'bounds'>;

/** A file of bounds that changes nothing (docs/house-spec.md); errors and refusals are in it to be read. */
export interface SpecDocument {
  /** Live broadcasts, row by row. */
  readonly live: LiveSpecification;
  /** Uploaded videos. */
  readonly upload: UploadSpecification;
  /** Bounds for some streams; absent in the published document. */
  readonly conditions?: readonly Condition[];
  /** Rows of the error catalogue, by code. */
  readonly errors: readonly ErrorEntry[];
  /** Refusals of requests by their published subcode. */
  readonly subcodes: Readonly<Record<string, object>>;
  readonly eligibility: object;
  /** Numbers that the published document leaves open: group, name, value with its reason. */
  readonly tolerances: Readonly<Record<string, Readonly<Record<string, Tolerance>>>>;
}

/** The specification in force. */
export const SPEC: SpecDocument = {
  live: LIVE,
  upload: UPLOAD,
  ...(CONDITIONS.length === 0 ? {} : { conditions: CONDITIONS }),
  errors: CATALOGUE.map(({ passes, row, counts, perTrack, explains, bounds, ...shown }) => shown),
  subcodes: SUBCODES,
  eligibility: ELIGIBILITY,
  tolerances: TOLERANCES,
};
