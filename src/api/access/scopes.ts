/** Scopes of tokens and tasks of people on Pages, by the names of the public Graph conventions. */

export const SCOPES = [
  'publish_video',
  'user_videos',
  'publish_to_groups',
  'groups_access_member_info',
  'pages_show_list',
  'pages_read_engagement',
  'pages_read_user_content',
  'pages_manage_posts',
  'pages_manage_engagement',
  'read_insights',
] as const;

export type Scope = (typeof SCOPES)[number];

export const TASKS = ['ANALYZE', 'ADVERTISE', 'MODERATE', 'CREATE_CONTENT', 'MESSAGING', 'MANAGE'] as const;

export type Task = (typeof TASKS)[number];

/** What is kept with the edge `roles` of a Page or group, and its mirror `accounts` of the user. */
export interface Role {
  readonly tasks: readonly Task[];
}
