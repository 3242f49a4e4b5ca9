/** Checks before going live: a profile needs a privacy setting and must avoid the permission errors 200/1363120 and 200/1363144. */
import { ELIGIBILITY, eligibilityError, type ServiceError, subcodeError } from '../spec/service-errors.js';
import type { LiveVideoData, OwnerData } from './documents.js';
import { goesLiveOnPublish } from './lifecycle.js';

const DAY_MS = 86_400_000;

/**
 * The error that prevents this live video from going LIVE, or undefined.
 * Pages are always public and groups have their own privacy, so only a profile must set one (docs/spec-gaps.md).
 */
export function goLiveRefusal(owner: OwnerData, live: LiveVideoData, nowMs: number): ServiceError | undefined {
  if (live.ownerKind !== 'user') return undefined;
  const ineligible = tooYoung(owner, nowMs) ?? tooFewFollowers(owner);
  if (ineligible !== undefined) return ineligible;
  if (live.privacy === undefined) return subcodeError('LIVE_VIDEO__PRIVACY_REQUIRED');
  return undefined;
}

/**
 * The error to report at once for a live video that will go LIVE without another request, or undefined. Only what a later request
 * for the live video cannot mend: its privacy can still be set, and the followers of a planned one are counted at its start.
 */
export function earlyRefusal(owner: OwnerData, live: LiveVideoData, nowMs: number): ServiceError | undefined {
  if (live.ownerKind !== 'user') return undefined;
  if (goesLiveOnPublish(live)) return tooYoung(owner, nowMs) ?? tooFewFollowers(owner);
  if (live.status !== 'SCHEDULED_UNPUBLISHED') return undefined;
  return tooYoung(owner, live.plannedStartMs ?? nowMs);
}

function tooYoung({ profileCreatedMs }: OwnerData, atMs: number): ServiceError | undefined {
  const ageDays = profileCreatedMs === undefined ? 0 : (atMs - profileCreatedMs) / DAY_MS;
  return ageDays < ELIGIBILITY.minimumProfileAgeDays ? eligibilityError(ELIGIBILITY.tooYoung) : undefined;
}

function tooFewFollowers({ followers = 0 }: OwnerData): ServiceError | undefined {
  return followers < ELIGIBILITY.minimumFollowers ? eligibilityError(ELIGIBILITY.tooFewFollowers) : undefined;
}
