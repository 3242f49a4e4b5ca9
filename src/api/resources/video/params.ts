/** Parameters common to creating and updating a video, and their mapping to stored fields. */

import { z } from 'zod';
import type { OwnerKind, VideoData } from '../../../lifecycle/documents.js';
import { parameterError } from '../../../spec/service-errors.js';
import type { Call } from '../../graph/call.js';
import { bool, id, int, list, object, oneOf, text, time } from '../../params/kinds.js';
import { privacyFor, privacyParam } from '../shared/privacy.js';
import { REFUSED, refuseRestrictions } from '../shared/restrictions.js';
import { sponsorOf } from '../tag.js';

const CATEGORIES = [
  'BEAUTY_FASHION',
  'BUSINESS',
  'CARS_TRUCKS',
  'COMEDY',
  'CUTE_ANIMALS',
  'ENTERTAINMENT',
  'FAMILY',
  'FOOD_HEALTH',
  'HOME',
  'LIFESTYLE',
  'MUSIC',
  'NEWS',
  'OTHER',
  'POLITICS',
  'SCIENCE',
  'SPORTS',
  'TECHNOLOGY',
  'VIDEO_GAMING',
] as const;

export const GRANULARITIES = ['none', 'min', 'hour', 'day', 'month', 'year'] as const;

export const sharedShape = {
  ...REFUSED,
  title: text({ max: 254 }).optional(),
  /** Alias of title, which wins. */
  name: text({ max: 254 }).optional(),
  description: text().optional(),
  privacy: privacyParam.optional(),
  published: bool().optional(),
  scheduled_publish_time: time().optional(),
  unpublished_content_type: oneOf([
    'ADS_POST',
    'DRAFT',
    'INLINE_CREATED',
    'PUBLISHED',
    'PUBLISH_PENDING',
    'REVIEWABLE_BRANDED_CONTENT',
    'SCHEDULED',
    'SCHEDULED_RECURRING',
  ]).optional(),
  embeddable: bool().optional(),
  is_crossposting_eligible: bool().optional(),
  is_reference_only: bool().optional(),
  content_category: oneOf(CATEGORIES).optional(),
  content_tags: list(text({ max: 200 })).optional(),
  custom_labels: list(text({ max: 200 })).optional(),
  sponsor_id: id().optional(),
  expiration: object({ time: time(), type: oneOf(['expire_and_delete', 'expire_only']).optional() }).optional(),
  ad_breaks: list(int({ min: 0 })).optional(),
  universal_video_id: text({ max: 200 }).optional(),
  tags: list(id(), { max: 50 }).optional(),
};

const sharedSchema = z.object(sharedShape);
export type SharedParams = z.output<typeof sharedSchema>;

const SCHEDULE_AHEAD = { minMs: 10 * 60_000, maxMs: 183 * 86_400_000 };

/** The stored fields set by the parameters; absent parameters set none. */
export async function videoFields(call: Call, ownerKind: OwnerKind, params: SharedParams): Promise<Partial<VideoData>> {
  refuseRestrictions(params, 'video');
  const sponsor = await sponsorOf(call, params.sponsor_id);
  const scheduled = params.scheduled_publish_time;
  const isDraft = requireDraft(params);
  const isReference = params.is_reference_only === true;
  if (isReference && params.published) throw parameterError('Param is_reference_only must come with published=false');
  if (scheduled !== undefined) checkSchedule(call, scheduled, params.published);
  if (params.expiration !== undefined && params.expiration.time <= call.nowMs) {
    throw parameterError('Param expiration[time] must be in the future; use expire_now to expire a video at once');
  }
  const fields: Record<string, unknown> = {
    title: params.title ?? params.name,
    description: params.description,
    privacy: params.privacy && privacyFor(ownerKind, params.privacy, 'video'),
    published: params.published ?? (scheduled !== undefined || isDraft || isReference ? false : undefined),
    isReferenceOnly: params.is_reference_only,
    scheduledPublishMs: scheduled,
    unpublishedContentType: params.unpublished_content_type,
    embeddable: params.embeddable,
    crosspostingEligible: params.is_crossposting_eligible,
    contentCategory: params.content_category,
    contentTags: params.content_tags,
    customLabels: params.custom_labels,
    ...sponsor,
    expiration: expirationOf(params),
    adBreaksMs: params.ad_breaks,
    universalVideoId: params.universal_video_id,
  };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

export function expirationOf({ expiration }: SharedParams): VideoData['expiration'] {
  return expiration && { timeMs: expiration.time, type: expiration.type ?? 'expire_only' };
}

/** Whether `unpublished_content_type` says that the video is unpublished. @throws ServiceError 100 if `published` says otherwise */
function requireDraft({ unpublished_content_type: type, published }: SharedParams): boolean {
  if (type === undefined || type === 'PUBLISHED') return false;
  if (published === true) throw parameterError('Param unpublished_content_type must come with published=false');
  return true;
}

function checkSchedule(call: Call, atMs: number, published: boolean | undefined): void {
  if (published === true) throw parameterError('Param scheduled_publish_time must come with published=false');
  if (atMs < call.nowMs + SCHEDULE_AHEAD.minMs || atMs > call.nowMs + SCHEDULE_AHEAD.maxMs) {
    throw parameterError('Param scheduled_publish_time must be a time from 10 minutes to 6 months ahead');
  }
}
