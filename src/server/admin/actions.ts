/**
 * Administration actions by name, for `airlock owner`, `token` and `live`. A running server executes them for requests on its
 * socket; without a server, the process of the command executes them.
 */

import { auditLog, auditWrite } from '../../api/access/audit.js';
import { reportLinks } from '../../api/access/report-links.js';
import { issueToken, revokeToken } from '../../api/access/token-issue.js';
import {
  changeOwner,
  createOwner,
  listOwners,
  type OwnerChanges,
  type OwnerRow,
  ownerRow,
} from '../../api/admin/owners.js';
import { listTokens } from '../../api/admin/tokens.js';
import { obsProfile } from '../../api/resources/obs-profile.js';
import { defined } from '../../lib/objects.js';
import type { LiveVideoData, OwnerData, Privacy } from '../../lifecycle/documents.js';
import {
  type BroadcastRequest,
  edgeOf,
  logIdOf,
  type NewLiveVideo,
  recordSubject,
  type StoredObject,
} from '../../ports/index.js';
import { errorView } from '../../spec/error-view.js';
import { isOwnerKind, OWNER_KINDS } from '../../spec/owner-kinds.js';
import { parameterError, subcodeError } from '../../spec/service-errors.js';
import {
  type AdminActions,
  type AdminContext,
  type AdminInput,
  optionalNumber,
  optionalText,
  text,
  textList,
} from './context.js';
import { copyrightActions } from './copyright.js';
import { forwardActions } from './forwards.js';
import { inputActions } from './inputs.js';
import { reportOn } from './report-sources.js';

const PAGE_SIZE = 100;
/** Bound of lists on a terminal; HTTP pages through longer ones. */
const LIST_MAX = 1000;

/** In the audit log. */
const WHO = 'command line';

export function adminActions(context: AdminContext): AdminActions {
  return {
    'audit.list': async (input) => ({
      lines: await auditLog(context, {
        sinceMs: optionalNumber(input, 'since_ms'),
        owner: optionalText(input, 'owner'),
      }),
    }),
    ping: async () => ({ pid: process.pid }),
    'owner.add': async (input) => ownerRow(await createOwner(context, newOwner(input), WHO), context.clock.wallMs()),
    'owner.list': async () => ({ owners: await allOwners(context) }),
    'owner.show': (input) => showOwner(context, text(input, 'id')),
    'owner.set': (input) => setOwner(context, input),
    'token.issue': (input) => issue(context, input),
    'token.list': () => listTokens(context, { limit: LIST_MAX }),
    'token.revoke': async (input) => {
      await revokeToken(context, text(input, 'token'), WHO);
      return { success: true };
    },
    'live.create': (input) => createLive(context, newLiveVideo(input)),
    'live.list': (input) => listLive(context, input),
    'live.show': (input) => showLive(context, text(input, 'id')),
    'live.end': (input) => changeLive(context, 'live.end', text(input, 'id'), { type: 'end' }),
    'live.stop': (input) => stop(context, input),
    'live.obs-profile': async (input) =>
      obsProfile(await load(context, text(input, 'id')), context, {
        profile: optionalText(input, 'profile'),
        videoKbps: optionalNumber(input, 'video_bitrate'),
      }),
    'live.errors': (input) => errors(context, input),
    'live.report_links': async (input) => ({
      links: await reportLinks(context, (await load(context, text(input, 'id'))).id),
    }),
    'live.report': (input) => report(context, text(input, 'id'), input.picture === true),
    ...copyrightActions(context),
    ...forwardActions(context),
    ...inputActions(context),
  };
}

async function allOwners(context: AdminContext): Promise<readonly OwnerRow[]> {
  const owners: OwnerRow[] = [];
  let after: string | undefined;
  do {
    const page = await listOwners(context, { limit: PAGE_SIZE, ...defined({ after }) });
    owners.push(...page.owners);
    after = page.after;
  } while (after !== undefined && owners.length < LIST_MAX);
  return owners;
}

async function loadOwner(context: AdminContext, id: string): Promise<StoredObject<OwnerData>> {
  const owner = await context.store.objects.get<OwnerData>(id);
  if (owner === undefined || !isOwnerKind(owner.kind)) throw parameterError(`No owner has the id ${id}`);
  return owner;
}

const LIMITS = { max_publishers: 'maxPublishers', max_objects: 'maxObjects', max_bytes: 'maxBytes' } as const;

const RELATIONS = {
  add_manager: 'addManagers',
  add_member: 'addMembers',
  remove_member: 'removeMembers',
  add_friend: 'addFriends',
  remove_friend: 'removeFriends',
} as const;

/** Changes what is named; a limit that is `default` becomes the server's. */
async function setOwner(context: AdminContext, input: AdminInput): Promise<unknown> {
  const owner = await loadOwner(context, text(input, 'id'));
  const limits = Object.entries(LIMITS).map(([name, field]) => [
    field,
    input[name] === 'default' ? 'default' : optionalNumber(input, name),
  ]);
  const relations = Object.entries(RELATIONS).map(([name, field]) => [field, textList(input, name)]);
  const changes: OwnerChanges = {
    ...defined({
      followers: optionalNumber(input, 'followers'),
      profileCreatedMs: optionalNumber(input, 'created_ms'),
      privacy: groupPrivacy(input.privacy),
    }),
    limits: defined(Object.fromEntries(limits)),
    ...Object.fromEntries(relations),
  };
  await changeOwner(context, owner, changes, WHO);
  return showOwner(context, owner.id);
}

async function showOwner(context: AdminContext, id: string): Promise<unknown> {
  const owner = await loadOwner(context, id);
  const stream = await context.broadcasts.persistentUrls(id);
  const [limits, use] = await Promise.all([context.quota.limits(id), context.quota.use(id)]);
  return {
    ...ownerRow(owner, context.clock.wallMs()),
    live_videos: await context.store.objects.edgeSize(edgeOf(id, 'live_videos')),
    publishers: use.publishers,
    max_publishers: limits.publishers,
    objects: use.objects,
    max_objects: limits.objects,
    stored_bytes: use.bytes,
    max_bytes: limits.bytes,
    ...(stream === undefined
      ? {}
      : { stream_url: stream.base, stream_key: stream.key, secure_stream_url: stream.secureStreamUrl }),
  };
}

/** A forgotten token ends by itself within a quarter of a year. */
const TOKEN_DAYS = 90;
const TOKEN_DAYS_MAX = 3650;
/** Every scope of an owner, without those of operators. */
const ALL_SCOPES = 'all';

async function issue(context: AdminContext, input: AdminInput): Promise<unknown> {
  const days = optionalNumber(input, 'days') ?? TOKEN_DAYS;
  if (days < 1 || days > TOKEN_DAYS_MAX) throw parameterError(`Param days must be between 1 and ${TOKEN_DAYS_MAX}`);
  if (!Array.isArray(input.scopes) || input.scopes.length === 0)
    throw parameterError('The parameter scopes is required');
  const scopes = input.scopes.map(String);
  const label = optionalText(input, 'label');
  const expiresMs = context.clock.wallMs() + days * 86_400_000;
  const issued = await issueToken(context, {
    ownerId: text(input, 'owner'),
    ...(scopes.length === 1 && scopes[0] === ALL_SCOPES ? {} : { scopes }),
    expiresMs,
    issuedBy: WHO,
    ...defined({ label }),
  });
  return { ...issued, expires_ms: expiresMs };
}

async function listLive(context: AdminContext, input: AdminInput): Promise<unknown> {
  const wanted = optionalText(input, 'owner');
  const owners = wanted === undefined ? (await allOwners(context)).map((owner) => owner.id) : [wanted];
  const pages = await context.store.objects.pages(
    owners.map((owner) => ({ name: edgeOf(owner, 'live_videos'), query: { limit: PAGE_SIZE } })),
  );
  const newest = pages
    .flatMap((page) => page.entries)
    .sort((a, b) => b.score - a.score)
    .slice(0, PAGE_SIZE);
  const found = await context.store.objects.getMany(newest.map((entry) => entry.member));
  const rows = found.flatMap((live) => (live === undefined ? [] : [live as StoredObject<LiveVideoData>]));
  return { live_videos: await Promise.all(rows.map((live) => liveRow(context, live))) };
}

async function load(context: AdminContext, id: string): Promise<StoredObject<LiveVideoData>> {
  const live = await context.store.objects.get<LiveVideoData>(id);
  if (live?.kind !== 'live_video') throw subcodeError('LIVE_VIDEO__NOT_EXIST');
  return live;
}

async function showLive(context: AdminContext, id: string): Promise<unknown> {
  const live = await load(context, id);
  const health = await context.broadcasts.health(id);
  return { ...(await liveRow(context, live)), ...defined({ stream_health: health }) };
}

async function liveRow(context: AdminContext, live: StoredObject<LiveVideoData>): Promise<Record<string, unknown>> {
  const { ownerId, videoId, status, stream, title, endReason } = live.data;
  const urls = context.broadcasts.urls(live);
  const counts = await context.store.records.counts(live.id);
  return {
    id: live.id,
    owner_id: ownerId,
    video_id: videoId,
    status,
    stream,
    title: title ?? '',
    created_ms: live.createdMs,
    errors: counts.total,
    open_errors: counts.open,
    stream_url: urls.base,
    stream_key: urls.key,
    secure_stream_url: urls.secureStreamUrl,
    ...defined({ end_reason: endReason?.text }),
  };
}

async function createLive(context: AdminContext, input: NewLiveVideo): Promise<unknown> {
  const lineOf = (target: string) =>
    auditWrite(context, { action: 'live.create', who: WHO, target, owner: input.ownerId });
  return liveRow(context, await context.broadcasts.create(input, (id) => [lineOf(id)]));
}

/** The audit line is stored with the change. */
async function changeLive(
  context: AdminContext,
  action: string,
  id: string,
  request: BroadcastRequest,
): Promise<unknown> {
  const { data } = await load(context, id);
  const line = auditWrite(context, { action, who: WHO, target: id, owner: data.ownerId });
  return liveRow(context, await context.broadcasts.request(id, request, [line]));
}

/** Stops a broadcast for copyright, on behalf of a Page. */
async function stop(context: AdminContext, input: AdminInput): Promise<unknown> {
  const page = await context.store.objects.get<OwnerData>(text(input, 'page'));
  if (page?.kind !== 'page') throw parameterError(`No Page has the id ${text(input, 'page')}`);
  const live = await load(context, text(input, 'id'));
  if (live.data.ownerId === page.id)
    throw parameterError('Param page must be the Page to which the content belongs, not the owner of the live video');
  const pageName = `the Page ${page.data.name}`;
  return changeLive(context, 'live.stop', text(input, 'id'), { type: 'copyright-stop', pageName });
}

/** `id` of a live video, or of its video. */
async function errors(context: AdminContext, input: AdminInput): Promise<unknown> {
  const id = text(input, 'id');
  const { objects, records } = context.store;
  const object = await objects.get(id);
  if (object?.kind !== 'video') await load(context, id);
  const subject = (await recordSubject((each) => objects.get(each), id)) ?? { broadcastId: id };
  const severity = optionalText(input, 'severity');
  await context.recordsStored?.(logIdOf(subject));
  const page = await records.page(logIdOf(subject), {
    limit: optionalNumber(input, 'limit') ?? PAGE_SIZE,
    ...defined({ severity }),
    ...(input.open === true ? { open: true } : {}),
  });
  return { errors: page.records.map((record) => errorView(record, subject)), has_more: page.hasNext };
}

async function report({ blobs, ...context }: AdminContext, id: string, withPicture: boolean): Promise<unknown> {
  const live = await load(context, id);
  await context.recordsStored?.(id);
  return reportOn({ ...context, ...(withPicture ? defined({ blobs }) : {}) }, live);
}

const GROUP_PRIVACIES = ['OPEN', 'CLOSED', 'SECRET'] as const;

function groupPrivacy(value: unknown) {
  const privacy = GROUP_PRIVACIES.find((known) => known === value);
  if (value !== undefined && privacy === undefined)
    throw parameterError(`Param privacy must be one of ${GROUP_PRIVACIES.join(', ')}`);
  return privacy;
}

function newOwner(input: AdminInput) {
  const kind = OWNER_KINDS.find((known) => known === input.kind);
  if (kind === undefined) throw parameterError(`Param kind must be one of ${OWNER_KINDS.join(', ')}`);
  const username = optionalText(input, 'username');
  const managerId = optionalText(input, 'manager');
  const followers = optionalNumber(input, 'followers');
  const profileAgeDays = optionalNumber(input, 'profile_age_days');
  const privacy = groupPrivacy(input.privacy ?? 'OPEN');
  if (input.privacy !== undefined && kind !== 'group') throw parameterError('Param privacy is for groups');
  return {
    kind,
    name: text(input, 'name'),
    ...defined({ username, managerId, followers, profileAgeDays }),
    ...(kind === 'group' ? defined({ privacy }) : {}),
  };
}

const STATUSES = ['UNPUBLISHED', 'LIVE_NOW', 'SCHEDULED_UNPUBLISHED', 'SCHEDULED_LIVE'] as const;
const AUDIENCES: readonly Privacy['value'][] = ['EVERYONE', 'ALL_FRIENDS', 'FRIENDS_OF_FRIENDS', 'SELF'];

function newLiveVideo(input: AdminInput): NewLiveVideo {
  const status = STATUSES.find((known) => known === (input.status ?? 'LIVE_NOW'));
  if (status === undefined) throw parameterError(`Param status must be one of ${STATUSES.join(', ')}`);
  const audience = AUDIENCES.find((known) => known === (input.privacy ?? 'EVERYONE'));
  if (audience === undefined) throw parameterError(`Param privacy must be one of ${AUDIENCES.join(', ')}`);
  const title = optionalText(input, 'title');
  const description = optionalText(input, 'description');
  const plannedStartMs = optionalNumber(input, 'planned_start_ms');
  return {
    ownerId: text(input, 'owner'),
    status,
    privacy: { value: audience, allow: '', deny: '' },
    backup: input.backup === true,
    ...defined({ title, description, plannedStartMs }),
  };
}
