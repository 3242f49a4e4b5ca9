/** What administration can do, by name: the same table serves the socket of a running server and a command on the store. */
import { z } from 'zod';
import type { LiveVideoData, OwnerData, VideoData } from '../../broadcast/documents.js';
import { type Broadcasts, ConflictError, type Log, type StoredObject } from '../../ports.js';
import { errorView } from '../../spec/error-view.js';
import { parameterError, ServiceError, subcodeError } from '../../spec/service-errors.js';
import { type AdminDeps, createOwner, listOwners, OWNERS, ownerRow } from './owners.js';
import { issueToken, listTokens, revokeToken } from './tokens.js';

export interface ActionDeps extends AdminDeps {
  readonly log: Log;
  readonly broadcasts: Broadcasts;
}

const DAY_MS = 86_400_000;
const id = z.string().regex(/^\d{1,20}$/, 'must be an id');
const PRIVACY = z.enum(['EVERYONE', 'ALL_FRIENDS', 'FRIENDS_OF_FRIENDS', 'SELF']);

interface Action<Input> {
  readonly input: z.ZodType<Input>;
  run(deps: ActionDeps, input: Input): Promise<object>;
}

const action = <Input>(input: z.ZodType<Input>, run: Action<Input>['run']): Action<Input> => ({ input, run });

const byId = z.object({ id });

const ACTIONS = {
  'owner.add': action(
    z.object({
      kind: z.enum(['page', 'group', 'user']),
      name: z.string().min(1).max(254),
      username: z
        .string()
        .regex(/^[\w.]{1,64}$/)
        .optional(),
      manager: id.optional(),
      followers: z.number().int().min(0).optional(),
      profile_age_days: z.number().int().min(0).optional(),
    }),
    async (deps, input) => {
      const owner = await createOwner(deps, {
        kind: input.kind,
        name: input.name,
        ...(input.username === undefined ? {} : { username: input.username }),
        ...(input.manager === undefined ? {} : { managerId: input.manager }),
        ...(input.followers === undefined ? {} : { followers: input.followers }),
        ...(input.profile_age_days === undefined ? {} : { profileAgeDays: input.profile_age_days }),
      });
      return ownerRow(owner, deps.clock.wallMs());
    },
  ),
  'owner.list': action(z.object({}), (deps) => listOwners(deps, { limit: 1000 })),
  'owner.show': action(byId, async (deps, input) => {
    const owner = await ownerOf(deps, input.id);
    const stream = owner.kind === 'page' ? await deps.broadcasts.persistentUrls(owner.id) : undefined;
    return {
      ...ownerRow(owner, deps.clock.wallMs()),
      ...(stream === undefined ? {} : { stream_url_base: stream.base, stream_key: stream.key }),
    };
  }),
  'token.issue': action(
    z.object({
      owner: id,
      scopes: z.array(z.string()).optional(),
      days: z.number().positive().optional(),
      label: z.string().max(254).optional(),
    }),
    (deps, input) =>
      issueToken(deps, {
        ownerId: input.owner,
        ...(input.scopes === undefined ? {} : { scopes: input.scopes }),
        ...(input.days === undefined ? {} : { expiresMs: deps.clock.wallMs() + input.days * DAY_MS }),
        ...(input.label === undefined ? {} : { label: input.label }),
      }),
  ),
  'token.list': action(z.object({}), (deps) => listTokens(deps, { limit: 1000 })),
  'token.revoke': action(z.object({ token: z.string() }), async (deps, input) => {
    await revokeToken(deps, input.token);
    return { success: true };
  }),
  'live.create': action(
    z.object({
      owner: id,
      title: z.string().max(254).optional(),
      description: z.string().optional(),
      status: z.enum(['UNPUBLISHED', 'LIVE_NOW', 'SCHEDULED_UNPUBLISHED', 'SCHEDULED_LIVE']).default('LIVE_NOW'),
      privacy: PRIVACY.default('EVERYONE'),
      planned_start_ms: z.number().optional(),
    }),
    async (deps, input) => {
      const live = await deps.broadcasts.create({
        ownerId: input.owner,
        status: input.status,
        privacy: { value: input.privacy, allow: '', deny: '' },
        ...(input.title === undefined ? {} : { title: input.title }),
        ...(input.description === undefined ? {} : { description: input.description }),
        ...(input.planned_start_ms === undefined ? {} : { plannedStartMs: input.planned_start_ms }),
      });
      return showLive(deps, live);
    },
  ),
  'live.list': action(z.object({ owner: id.optional() }), async (deps, input) => {
    const owners =
      input.owner === undefined
        ? (await deps.store.page(OWNERS, { limit: 1000 })).entries.map((entry) => entry.member)
        : [(await ownerOf(deps, input.owner)).id];
    const pages = await deps.store.pages(
      owners.map((owner) => ({ name: { owner, edge: 'live_videos' }, query: { limit: 100 } })),
    );
    const entries = pages.flatMap((page) => page.entries).sort((a, b) => b.score - a.score);
    const lives = await deps.store.getMany(entries.map((entry) => entry.member));
    const rows = lives
      .filter((live) => live !== undefined)
      .map((live) => liveRow(deps, live as StoredObject<LiveVideoData>));
    return { live_videos: await Promise.all(rows) };
  }),
  'live.show': action(byId, async (deps, input) => showLive(deps, await liveOf(deps, input.id))),
  'live.end': action(byId, async (deps, input) =>
    liveRow(deps, await deps.broadcasts.request(input.id, { type: 'end' })),
  ),
  'live.stop': action(z.object({ id, page: id }), async (deps, input) => {
    const page = await ownerOf(deps, input.page);
    return liveRow(deps, await deps.broadcasts.request(input.id, { type: 'copyright-stop', pageName: page.data.name }));
  }),
  'live.errors': action(
    z.object({
      id,
      limit: z.number().int().min(1).max(1000).default(100),
      severity: z.string().optional(),
      open: z.boolean().optional(),
    }),
    async (deps, input) => {
      const live = await liveOf(deps, input.id);
      const { records } = await deps.store.records(live.id, {
        limit: input.limit,
        ...(input.severity === undefined ? {} : { severity: input.severity }),
        ...(input.open === undefined ? {} : { open: input.open }),
      });
      return { errors: records.map((record) => errorView(record)) };
    },
  ),
} as const;

export type ActionName = keyof typeof ACTIONS;

/** @throws ServiceError for an unknown action, a wrong input, or what the action itself refuses */
export async function runAction(deps: ActionDeps, name: string, input: unknown): Promise<object> {
  const found = Object.hasOwn(ACTIONS, name) ? (ACTIONS[name as ActionName] as Action<unknown>) : undefined;
  if (found === undefined) throw parameterError(`There is no action ${name}`);
  const parsed = found.input.safeParse(input ?? {});
  if (!parsed.success) {
    throw parameterError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; '));
  }
  try {
    return await found.run(deps, parsed.data);
  } catch (error) {
    if (error instanceof ConflictError) throw parameterError('That name or object is taken already', 506);
    throw error;
  }
}

/** What goes over the socket in place of a stack. */
export function failureOf(error: unknown): { readonly message: string } {
  if (error instanceof ServiceError) return { message: error.shape.userMessage ?? error.shape.message };
  return { message: error instanceof Error ? error.message : String(error) };
}

async function ownerOf(deps: ActionDeps, ownerId: string): Promise<StoredObject<OwnerData>> {
  const owner = await deps.store.get<OwnerData>(ownerId);
  if (owner === undefined || !['page', 'group', 'user'].includes(owner.kind))
    throw parameterError(`No owner has the id ${ownerId}`);
  return owner;
}

/** By the id of the live video or of its Video. */
async function liveOf(deps: ActionDeps, anyId: string): Promise<StoredObject<LiveVideoData>> {
  const found = await deps.store.get<LiveVideoData | VideoData>(anyId);
  if (found?.kind === 'live_video') return found as StoredObject<LiveVideoData>;
  const liveVideoId = found?.kind === 'video' ? (found as StoredObject<VideoData>).data.liveVideoId : undefined;
  const live = liveVideoId === undefined ? undefined : await deps.store.get<LiveVideoData>(liveVideoId);
  if (live === undefined) throw subcodeError('LIVE_VIDEO__NOT_EXIST');
  return live;
}

async function liveRow(deps: ActionDeps, live: StoredObject<LiveVideoData>) {
  const counts = await deps.store.recordCounts(live.id);
  const { ownerId, status, stream, title, videoId, endReason } = live.data;
  return {
    id: live.id,
    video_id: videoId,
    owner_id: ownerId,
    status,
    stream,
    open_errors: counts.open,
    errors: counts.total,
    created_ms: live.createdMs,
    ...(title === undefined ? {} : { title }),
    ...(endReason === undefined ? {} : { end_reason: endReason.text }),
  };
}

async function showLive(deps: ActionDeps, live: StoredObject<LiveVideoData>) {
  const urls = deps.broadcasts.urls(live);
  const health = await deps.broadcasts.health(live.id);
  return {
    ...(await liveRow(deps, live)),
    stream_url_base: urls.base,
    stream_key: urls.key,
    secure_stream_url: urls.secureStreamUrl,
    ...(health === undefined ? {} : { health }),
  };
}
