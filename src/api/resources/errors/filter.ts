/** Parameters that select error records. A value that no record can have is error 100. */
import { z } from 'zod';
import { CATALOGUE } from '../../../rules/registry/catalogue.js';
import type { StoredRecord } from '../../../spec/error-record.js';
import { ELIGIBILITY, SUBCODES } from '../../../spec/service-errors.js';
import { bool, int, list, oneOf } from '../../params/kinds.js';

type Words = readonly [string, ...string[]];

const words = (values: readonly (string | number)[]): Words => {
  const [first = '', ...rest] = [...new Set(values.map(String))];
  return [first, ...rest];
};
/** JSON lists hold codes as numbers. */
const word = (values: Words) => z.preprocess((each) => (typeof each === 'number' ? String(each) : each), oneOf(values));
const some = (values: Words) => list(word(values), { max: 100 }).optional();

const SUBCODE_WORDS = words([
  ...Object.keys(SUBCODES),
  ELIGIBILITY.tooYoung.subcode,
  ELIGIBILITY.tooFewFollowers.subcode,
  // Faults of an uploaded file that became a video.
  ...CATALOGUE.filter(({ judgedBy }) => judgedBy === 'file').map(({ code }) => code),
]);

export const errorParams = z.object({
  severity: oneOf(['error', 'warning', 'info']).optional(),
  open: bool().optional(),
  error_code: some(words(CATALOGUE.map(({ code }) => code))),
  error_type: some(words(CATALOGUE.map(({ type }) => type))),
  error_subcode: some(SUBCODE_WORDS),
  source: some(['stream', 'service', 'publish']),
  after_revision: int({ min: 0 }).optional(),
});

export type ErrorParams = z.output<typeof errorParams>;

/** The filters that the store has no index for. `undefined`: none is set. */
export function filterOf(params: ErrorParams): ((record: StoredRecord) => boolean) | undefined {
  const { error_code: codes, error_type: types, error_subcode: subcodes, source: sources } = params;
  if (!codes && !types && !subcodes && !sources) return undefined;
  const isIn = (values: readonly string[] | undefined, value: string | number) =>
    values === undefined || values.includes(String(value));
  return (record) =>
    isIn(codes, record.error_code) &&
    isIn(types, record.error_type) &&
    isIn(subcodes, record.error_subcode) &&
    isIn(sources, record.source);
}
