/**
 * Access rules, one per route. A rule is checked only for an object that the token may see (`Access.maySee`); any other
 * object has already been reported as nonexistent.
 */
import type { OwnerKind } from '../../lifecycle/documents.js';
import type { Scope, Task } from './scopes.js';

export interface Rule {
  /**
   * viewers: any token that may see the object. managers: the owner, or a role with `task`. people: any user or Page.
   * author: the author, or managers. itself: the token's owner only. operators: tokens that act for every owner.
   */
  readonly who: 'viewers' | 'managers' | 'people' | 'author' | 'itself' | 'operators';
  readonly task?: Task;
  /** Required scope by kind of owner. Reads of the token owner's own objects require none. */
  readonly scopes?: Readonly<Partial<Record<OwnerKind, Scope>>>;
  readonly reads?: true;
  /** A dock link with encoder set-up permits it too, on its broadcast and on the input streams of that. */
  readonly links?: true;
  /** The scope `operator_read` permits it too, on every object. */
  readonly operators?: true;
}

export const READ: Rule = {
  who: 'viewers',
  reads: true,
  scopes: { page: 'pages_read_engagement', user: 'user_videos' },
};
export const READ_PUBLIC: Rule = { who: 'viewers', reads: true };
export const READ_COMMENTS: Rule = {
  who: 'viewers',
  reads: true,
  scopes: { page: 'pages_read_user_content', user: 'user_videos' },
};
export const READ_MANAGED: Rule = { ...READ, who: 'managers' };
export const READ_ERRORS: Rule = { ...READ_MANAGED, operators: true };
export const PUBLISH: Rule = {
  who: 'managers',
  task: 'CREATE_CONTENT',
  scopes: { page: 'pages_manage_posts', group: 'publish_to_groups', user: 'publish_video' },
};
/** Objects that hold the stream key, and the choice of the input stream on air. */
export const SET_UP: Rule = { ...PUBLISH, links: true };
export const PUBLISH_CAPTIONS: Rule = { ...PUBLISH, task: 'MANAGE' };
export const ENGAGE: Rule = { who: 'people', scopes: { page: 'pages_manage_engagement' } };
export const MODERATE: Rule = { who: 'author', task: 'MODERATE', scopes: { page: 'pages_manage_engagement' } };
export const INSIGHTS: Rule = { who: 'managers', task: 'ANALYZE', reads: true, scopes: { page: 'read_insights' } };
export const MANAGE_OWNER: Rule = { ...PUBLISH, task: 'MANAGE' };
export const VOTE: Rule = { who: 'people' };
export const SELF: Rule = { who: 'itself', reads: true };
export const OWN_ACCOUNTS: Rule = { ...SELF, scopes: { user: 'pages_show_list' } };
export const OWN_WRITE: Rule = { who: 'itself' };
export const OWN_FRIENDS: Rule = { ...SELF, scopes: { user: 'user_videos' } };
/** Followers and age of a profile decide whether it may go live, so that its user may not set them. */
export const OPERATE: Rule = { who: 'operators' };
