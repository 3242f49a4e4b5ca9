/** Times of the ACME client, each with its reason. */
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export const ACME_LIMITS = {
  /** How often it is checked whether a certificate is due: one small read of the store. */
  checkMs: MINUTE_MS,
  /** An order takes seconds. A later answer of the authority is given up. */
  orderMs: 3 * MINUTE_MS,
  /** Longer than an order, so that no second server orders meanwhile. */
  leaseMs: 4 * MINUTE_MS,
  /** One answer of the authority. */
  answerMs: 20_000,
  /** The largest answers are chains of certificates: under 20 KB. */
  answerBytes: 1024 * 1024,
  /** Authorities allow five failed validations an hour for a name: with doubled pauses, at most three happen. */
  firstRetryMs: 15 * MINUTE_MS,
  longestRetryMs: 24 * HOUR_MS,
  /** Authorities allow five certificates for the same names in a week. */
  reissueMs: 48 * HOUR_MS,
  /** Sets of names whose last order is remembered: those of servers that share a store and are being reconfigured. */
  setsKept: 8,
  /** How long a token is kept for the request of the authority. */
  challengeMs: 10 * MINUTE_MS,
  /** The reason of the authority as it is stored and shown. */
  detailCharacters: 500,
} as const;
