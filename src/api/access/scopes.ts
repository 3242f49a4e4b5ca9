/** Token scopes and Page tasks, as the public Graph conventions name them. */

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

/** Reads errors, health and metrics of every broadcast, and nothing else. */
export const OPERATOR_READ = 'operator_read';
/** Acts for every owner. */
export const OPERATOR = 'operator';

/** Scopes of the service rather than of an owner. Not part of a token's default scopes. */
export const OPERATOR_SCOPES: readonly string[] = [OPERATOR_READ, OPERATOR];

export type Scope = (typeof SCOPES)[number];

export const TASKS = ['ANALYZE', 'ADVERTISE', 'MODERATE', 'CREATE_CONTENT', 'MESSAGING', 'MANAGE'] as const;

export type Task = (typeof TASKS)[number];

/** Value of an entry of the edge `roles` of a Page or group, and of its mirror, the user's `accounts`. */
export interface Role {
  readonly tasks: readonly Task[];
}
