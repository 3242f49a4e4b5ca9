/**
 * Who may read or change what: one row for each route. A row is asked only about an object that the token may see at
 * all (`Access.maySee`); what it may not see has answered as a thing that never was.
 */
import type { OwnerKind } from '../../broadcast/documents.js';
import type { Scope, Task } from './scopes.js';

export interface Rule {
  /**
   * viewers: all who see it. managers: the owner itself, or a role with `task`. people: any user or Page.
   * author: who wrote it, or managers. itself: the token's own subject.
   */
  readonly who: 'viewers' | 'managers' | 'people' | 'author' | 'itself';
  readonly task?: Task;
  /** By the kind of the owner. Reads need none on what belongs to the token's own subject. */
  readonly scopes?: Readonly<Partial<Record<OwnerKind, Scope>>>;
  readonly reads?: true;
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
export const PUBLISH: Rule = {
  who: 'managers',
  task: 'CREATE_CONTENT',
  scopes: { page: 'pages_manage_posts', group: 'publish_to_groups', user: 'publish_video' },
};
export const PUBLISH_CAPTIONS: Rule = { ...PUBLISH, task: 'MANAGE' };
export const ENGAGE: Rule = { who: 'people', scopes: { page: 'pages_manage_engagement' } };
export const MODERATE: Rule = { who: 'author', task: 'MODERATE', scopes: { page: 'pages_manage_engagement' } };
export const INSIGHTS: Rule = { who: 'managers', task: 'ANALYZE', reads: true, scopes: { page: 'read_insights' } };
export const MANAGE_PAGE: Rule = { ...PUBLISH, task: 'MANAGE' };
export const VOTE: Rule = { who: 'people' };
export const SELF: Rule = { who: 'itself', reads: true };
export const OWN_ACCOUNTS: Rule = { ...SELF, scopes: { user: 'pages_show_list' } };
export const OWN_WRITE: Rule = { who: 'itself' };
