/** Checks before going live: a profile needs a privacy setting and must avoid the permission errors 200/1363120 and 200/1363144. */
import { ELIGIBILITY, eligibilityError, type ServiceError, subcodeError } from '../spec/service-errors.js';
import type { LiveVideoData, OwnerData } from './documents.js';

const DAY_MS = 86_400_000;

/**
 * The error that prevents this live video from going LIVE, or undefined.
 * Pages are always public and groups have their own privacy, so only a profile must set one (docs/spec-gaps.md).
 */
export function goLiveRefusal(owner: OwnerData, live: LiveVideoData, nowMs: number): ServiceError | undefined {
  if (live.ownerKind !== 'user') return undefined;
  const ageDays = (nowMs - (owner.profileCreatedMs ?? nowMs)) / DAY_MS;
  if (ageDays < ELIGIBILITY.minimumProfileAgeDays) return eligibilityError(ELIGIBILITY.tooYoung);
  if ((owner.followers ?? 0) < ELIGIBILITY.minimumFollowers) return eligibilityError(ELIGIBILITY.tooFewFollowers);
  if (live.privacy === undefined) return subcodeError('LIVE_VIDEO__PRIVACY_REQUIRED');
  return undefined;
}
