/** Access decisions of one request: visibility, roles and scopes. `routes.ts` assigns a rule to each route. */
import type { LiveVideoData, OwnerData, OwnerKind, Privacy, VideoData } from '../../lifecycle/documents.js';
import { edgeOf, type StoredObject } from '../../ports/index.js';
import { isOwnerKind } from '../../spec/owner-kinds.js';
import type { Loader } from '../context/loader.js';
import type { Viewer } from '../context/viewer.js';
import { onAirScope, setUpScope } from './broadcast-scope.js';
import { notPermitted } from './faults.js';
import { isCopyrightStopped, isShownBroadcast, type Shown, shownNow } from './published.js';
import { PUBLISH, type Rule } from './rules.js';
import { OPERATOR, OPERATOR_READ, type Role, type Scope, type Task } from './scopes.js';

/** Data common to objects that belong to a video or live video. */
export interface PartData {
  /** Id of the video or live video. */
  readonly rootId?: string;
  readonly liveVideoId?: string;
  readonly fromId?: string;
}

/** Data of a comment that its visibility depends on. */
export interface CommentPart {
  readonly ownerId: string;
  readonly fromId: string;
  readonly parentId?: string;
  readonly isHidden?: boolean;
}

export class Access {
  readonly #viewer: Viewer | undefined;
  /** Access of the token that the viewer's token was made from. */
  readonly #maker: Access | undefined;
  readonly #loader: Loader;
  readonly #nowMs: number;
  readonly #manages = new Map<string, Promise<readonly Task[] | undefined>>();

  constructor(viewer: Viewer | undefined, loader: Loader, nowMs: number) {
    this.#viewer = viewer;
    this.#maker = viewer?.maker && new Access(viewer.maker, loader, nowMs);
    this.#loader = loader;
    this.#nowMs = nowMs;
  }

  /** The token may act for every owner. */
  get isOperator(): boolean {
    return this.#viewer?.ownerKind === 'operator' || (this.#viewer?.scopes.has(OPERATOR) ?? false);
  }

  /** The token has the scope `operator_read`. */
  get readsAllErrors(): boolean {
    return this.#viewer?.scopes.has(OPERATOR_READ) ?? false;
  }

  /**
   * Tasks that the viewer has on the owner; `undefined` if the viewer is not a member. An owner has all tasks on
   * itself, but a token made from that of a member only the member's.
   */
  tasksOn(ownerId: string): Promise<readonly Task[] | undefined> {
    let known = this.#manages.get(ownerId);
    if (!known) {
      known = this.#tasksOn(ownerId);
      this.#manages.set(ownerId, known);
    }
    return known;
  }

  async #tasksOn(ownerId: string): Promise<readonly Task[] | undefined> {
    const viewer = this.#viewer;
    const isOther = viewer?.ownerId !== ownerId && !this.isOperator;
    if (viewer?.ownerKind === 'user' && isOther) return this.#tasksOfMember(ownerId, viewer.ownerId);
    if (this.#maker !== undefined && !isOther) return this.#maker.tasksOn(ownerId);
    return this.#tasksOfToken(ownerId);
  }

  #tasksOfToken(ownerId: string): readonly Task[] | undefined {
    return this.#viewer?.ownerId === ownerId || this.isOperator ? ['MANAGE'] : undefined;
  }

  async #tasksOfMember(ownerId: string, member: string): Promise<readonly Task[] | undefined> {
    const entry = await this.#loader.entry(edgeOf(ownerId, 'roles'), member);
    return entry === undefined ? undefined : ((entry.value as Role | undefined)?.tasks ?? []);
  }

  /** Whether the viewer may act for the owner: the viewer is the owner, or has a role with MANAGE or `task`. */
  async manages(ownerId: string, task: Task = 'CREATE_CONTENT'): Promise<boolean> {
    return includesTask(await this.tasksOn(ownerId), task);
  }

  /** Whether the token has the scope to publish for an owner of this kind. Stream keys are for such tokens alone. */
  hasPublishScope(kind: OwnerKind): boolean {
    const scope = PUBLISH.scopes?.[kind];
    return this.isOperator || scope === undefined || (this.#viewer?.scopes.has(scope) ?? false);
  }

  /** Whether the viewer manages the owner with such a token. */
  async mayPublish(ownerId: string, kind: OwnerKind): Promise<boolean> {
    return this.hasPublishScope(kind) && (await this.manages(ownerId));
  }

  /** The video, live video or owner whose privacy applies to an object. */
  async rootOf(target: StoredObject): Promise<StoredObject | undefined> {
    if (isRoot(target)) return target;
    if (target.kind === 'video') {
      const liveVideoId = (target.data as VideoData).liveVideoId;
      if (liveVideoId === undefined) return target;
      // A Video shares the privacy of its broadcast.
      return (await this.#loader.load(liveVideoId)) ?? target;
    }
    const part = target.data as PartData;
    const rootId = part.rootId ?? part.liveVideoId;
    const root = rootId === undefined ? undefined : await this.#loader.load(rootId);
    return root === undefined ? undefined : this.rootOf(root);
  }

  async maySee(target: StoredObject): Promise<boolean> {
    const root = isRoot(target) ? target : await this.rootOf(target);
    if (root === undefined) return false;
    if (target.kind === 'comment' && !(await this.maySeeComment(target.data as CommentPart))) return false;
    if (isOwnerKind(root.kind)) return this.#seesOwner(root);
    const data = root.data as VideoData | LiveVideoData;
    const shown = root.kind === 'live_video' ? this.#shownBroadcast(root) : await this.#shown(root);
    if (shown === 'gone') return false;
    if (shown === 'shown' && (await this.#isInAudience(data.ownerId, data.ownerKind, data.privacy))) return true;
    return (await this.tasksOn(data.ownerId))?.some((task) => task === 'MANAGE' || task === 'CREATE_CONTENT') ?? false;
  }

  /** Hidden comments, and replies to them, are visible to their author and to moderators. */
  async maySeeComment(comment: CommentPart): Promise<boolean> {
    if (comment.fromId === this.#viewer?.ownerId) return true;
    if (comment.isHidden === true && !(await this.manages(comment.ownerId, 'MODERATE'))) return false;
    const parent = comment.parentId === undefined ? undefined : await this.#loader.load(comment.parentId);
    return parent === undefined || this.maySeeComment(parent.data as CommentPart);
  }

  #shownBroadcast(root: StoredObject): Shown {
    return isShownBroadcast(root.data as LiveVideoData, this.#nowMs) ? 'shown' : 'managers';
  }

  async #shown(root: StoredObject): Promise<Shown> {
    const video = root.data as VideoData;
    const shown = shownNow(video, this.#nowMs);
    return shown === 'shown' && (await this.#copiesStopped(video)) ? 'managers' : shown;
  }

  /** Whether only managers may see the video because of a stop for copyright. */
  async isWithheld(video: VideoData): Promise<boolean> {
    if (video.isCopyrightStopped === true) return true;
    const live = video.liveVideoId === undefined ? undefined : await this.#loader.load(video.liveVideoId);
    return (live !== undefined && isCopyrightStopped(live.data as LiveVideoData)) || this.#copiesStopped(video);
  }

  /** Whether it is a cross-posted copy of a recording that was stopped for copyright. */
  async #copiesStopped({ crosspostOf }: VideoData): Promise<boolean> {
    if (crosspostOf === undefined) return false;
    const original = (await this.#loader.load(crosspostOf))?.data as VideoData | undefined;
    if (original?.isCopyrightStopped === true) return true;
    const live = original?.liveVideoId === undefined ? undefined : await this.#loader.load(original.liveVideoId);
    return live !== undefined && isCopyrightStopped(live.data as LiveVideoData);
  }

  async #seesOwner(owner: StoredObject): Promise<boolean> {
    if (owner.kind !== 'group' || (owner.data as OwnerData).privacy !== 'SECRET') return true;
    return (await this.tasksOn(owner.id)) !== undefined;
  }

  async #isInAudience(ownerId: string, kind: OwnerKind, privacy: Privacy | undefined): Promise<boolean> {
    if (kind === 'page') return true;
    if (kind === 'group') {
      const group = await this.#loader.load(ownerId);
      if (((group?.data as OwnerData | undefined)?.privacy ?? 'OPEN') === 'OPEN') return true;
      return (await this.tasksOn(ownerId)) !== undefined;
    }
    const viewerId = this.#viewer?.ownerId;
    if (viewerId === undefined || privacy === undefined || privacy.value === 'SELF') return viewerId === ownerId;
    if (viewerId === ownerId || privacy.value === 'EVERYONE') return true;
    if (privacy.value === 'CUSTOM') return this.#isInCustom(ownerId, viewerId, privacy);
    if (await this.#areFriends(ownerId, viewerId)) return true;
    return privacy.value === 'FRIENDS_OF_FRIENDS' && (await this.#shareAFriend(ownerId, viewerId));
  }

  async #isInCustom(ownerId: string, viewerId: string, privacy: Privacy): Promise<boolean> {
    const allow = privacy.allow.split(',').map((each) => each.trim());
    const deny = privacy.deny.split(',').map((each) => each.trim());
    if (deny.includes(viewerId) || (deny.includes('ALL_FRIENDS') && (await this.#areFriends(ownerId, viewerId)))) {
      return false;
    }
    if (allow.includes(viewerId)) return true;
    if (allow.includes('ALL_FRIENDS') && (await this.#areFriends(ownerId, viewerId))) return true;
    return allow.includes('FRIENDS_OF_FRIENDS') && (await this.#shareAFriend(ownerId, viewerId));
  }

  async #areFriends(left: string, right: string): Promise<boolean> {
    return (await this.#loader.entry(edgeOf(left, 'friends'), right)) !== undefined;
  }

  /** Checks the viewer's newest 1000 friends only, to bound the cost of one check. */
  async #shareAFriend(ownerId: string, viewerId: string): Promise<boolean> {
    const page = await this.#loader.page(edgeOf(viewerId, 'friends'), { limit: 1000 });
    const found = await Promise.all(page.entries.map((entry) => this.#areFriends(ownerId, entry.member)));
    return found.includes(true);
  }

  /**
   * Checks a route's rule for an object that the viewer may see.
   * @throws ServiceError 200 that names the missing scope or role
   */
  async check(rule: Rule, target: StoredObject): Promise<void> {
    if (rule.operators && this.readsAllErrors) return;
    if (readsErrorsOnly(this.#viewer))
      throw notPermitted('The scope operator_read reads errors, health and metrics only.');
    const root = isRoot(target) ? target : ((await this.rootOf(target)) ?? target);
    const isOwner = isOwnerKind(root.kind);
    const ownerId = isOwner ? root.id : (root.data as VideoData).ownerId;
    const ownerKind = isOwner ? (root.kind as OwnerKind) : (root.data as VideoData).ownerKind;
    if (rule.who !== 'viewers') await this.#checkRole(rule, ownerId, target);
    if (rule.links && this.#isLinkTo(target)) return this.#maker?.check(rule, target);
    this.#checkScope(rule, ownerId, ownerKind);
  }

  /** The link sets up the encoder of this broadcast, or puts this input stream on air. */
  #isLinkTo({ id }: StoredObject): boolean {
    const scopes = this.#viewer?.scopes;
    return scopes !== undefined && (scopes.has(setUpScope(id)) || scopes.has(onAirScope(id)));
  }

  async #checkRole(rule: Rule, ownerId: string, target: StoredObject): Promise<void> {
    const viewer = this.#viewer;
    switch (rule.who) {
      case 'viewers':
        return;
      case 'managers':
        if (!(await this.manages(ownerId, rule.task))) {
          throw notPermitted(
            `Requires a token of the owner, or a role with the task ${rule.task ?? 'CREATE_CONTENT'}.`,
          );
        }
        return;
      case 'people':
        if (viewer === undefined || !isOwnerKind(viewer.ownerKind)) {
          throw notPermitted('Requires the token of a user or a Page.');
        }
        return;
      case 'author':
        if ((target.data as PartData).fromId !== viewer?.ownerId && !(await this.manages(ownerId, rule.task))) {
          throw notPermitted('Requires a token of the author or of a manager of the video.');
        }
        return;
      case 'itself':
        if (viewer?.ownerId !== target.id && !this.isOperator) {
          throw notPermitted('Requires a token of this user.');
        }
        return;
      case 'operators':
        if (!this.isOperator) throw notPermitted('Requires a token with the scope operator.');
        return;
    }
  }

  #checkScope(rule: Rule, ownerId: string, ownerKind: OwnerKind): void {
    const scope: Scope | undefined = rule.scopes?.[ownerKind];
    const viewer = this.#viewer;
    if (scope === undefined || viewer === undefined) return;
    if (this.isOperator || (rule.reads && this.#readsAll(ownerId))) return;
    if (!viewer.scopes.has(scope)) throw notPermitted(`Requires the permission ${scope}.`);
  }

  /** Reads of the owner's objects need no scope: the token is the owner's, and so are those that it was made from. */
  #readsAll(ownerId: string): boolean {
    if (this.isOperator || this.#viewer?.ownerKind === 'app') return true;
    return this.#viewer?.ownerId === ownerId && (this.#maker === undefined || this.#maker.#readsAll(ownerId));
  }
}

const includesTask = (tasks: readonly Task[] | undefined, task: Task): boolean =>
  tasks !== undefined && (tasks.includes('MANAGE') || tasks.includes(task));

/** An object whose own privacy applies. */
const isRoot = ({ kind }: StoredObject): boolean => isOwnerKind(kind) || kind === 'live_video';

/** A token with no other scope reads nothing of its owner either. */
export function readsErrorsOnly(viewer: Viewer | undefined): boolean {
  return viewer !== undefined && viewer.scopes.size === 1 && viewer.scopes.has(OPERATOR_READ);
}
