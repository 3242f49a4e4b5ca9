/** Who may go live: a privacy setting for profiles, and the published permission errors 200/1363120 and 200/1363144. */
import { ELIGIBILITY, eligibilityError, type ServiceError, subcodeError } from '../spec/service-errors.js';
import type { LiveVideoData, OwnerData } from './documents.js';

const DAY_MS = 86_400_000;

/**
 * The reason why this live video may not become LIVE now, or undefined.
 * Pages are public always and groups carry their own privacy, so only a profile has to choose one (docs/spec-gaps.md).
 */
export function goLiveRefusal(owner: OwnerData, live: LiveVideoData, nowMs: number): ServiceError | undefined {
  if (live.ownerKind !== 'user') return undefined;
  const ageDays = (nowMs - (owner.profileCreatedMs ?? nowMs)) / DAY_MS;
  if (ageDays < ELIGIBILITY.minimumProfileAgeDays) return eligibilityError(ELIGIBILITY.tooYoung);
  if ((owner.followers ?? 0) < ELIGIBILITY.minimumFollowers) return eligibilityError(ELIGIBILITY.tooFewFollowers);
  if (live.privacy === undefined) return subcodeError('LIVE_VIDEO__PRIVACY_REQUIRED');
  return undefined;
}
