/** Kinds of rows that have no edges of their own: profiles, tags, captions, insights and the like. */

import { defineNodeType, type Field } from '../../graph/node-type.js';
import { absolute } from '../../graph/urls.js';
import { graphTime } from '../../graph/values.js';
import { captionKey, filePath } from './files.js';

const given = <Row>(type: string, description: string, read: Field<Row>['read']): Field<Row> => ({
  type,
  description,
  isDefault: true,
  read,
});

export interface Profile {
  readonly id: string;
  readonly name: string;
}

const profileFields = {
  id: given('numeric string', 'The profile.', (row: Profile) => row.id),
  name: given('string', 'Its name.', (row: Profile) => row.name),
} satisfies Record<string, Field<Profile>>;

/** Who likes: `{ id, name }`. */
export const profileType = defineNodeType<Profile>({
  typeName: 'Profile',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    link: { type: 'string', description: 'Its address.', read: (row, call) => `${call.origin}/${row.id}` },
  },
});

export interface Reaction extends Profile {
  readonly type: string;
}

export const reactionType = defineNodeType<Reaction>({
  typeName: 'Profile',
  idOf: (row) => row.id,
  fields: { ...profileFields, type: given('string', 'The reaction.', (row: Reaction) => row.type) },
});

export interface TaggedProfile extends Profile {
  readonly createdMs: number;
}

export const tagType = defineNodeType<TaggedProfile>({
  typeName: 'TaggableSubject',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    created_time: given('datetime', 'When it was tagged.', (row: TaggedProfile, call) =>
      graphTime(row.createdMs, call),
    ),
  },
});

export interface PairedPage extends Profile {
  readonly allowsLive: boolean;
}

export const pairedPageType = defineNodeType<PairedPage>({
  typeName: 'Page',
  idOf: (row) => row.id,
  fields: {
    ...profileFields,
    allows_live_crossposts: given('bool', 'Broadcasts too.', (row: PairedPage) => row.allowsLive),
  },
});

export interface PollSettings {
  readonly id: string;
  readonly enableWasLiveVoting: boolean;
  readonly placement: string;
}

export const pollSettingsType = defineNodeType<PollSettings>({
  typeName: 'VideoPollSettings',
  idOf: (row) => row.id,
  fields: {
    id: given('numeric string', 'The video.', (row) => row.id),
    enable_was_live_voting: given('bool', 'Votes after the broadcast.', (row) => row.enableWasLiveVoting),
    video_poll_www_placement: given('string', 'Where the poll stands.', (row) => row.placement),
  },
});

export interface Caption {
  readonly videoId: string;
  readonly locale: string;
  readonly createdMs: number;
  readonly isDefault: boolean;
}

const languages = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard', style: 'short' });

/** `en_US` → `English (US)` */
function localeName(locale: string): string {
  try {
    return languages.of(locale.replace('_', '-')) ?? locale;
  } catch (error) {
    if (error instanceof RangeError) return locale;
    throw error;
  }
}

/** Rows of captions have no id. */
export const captionType = defineNodeType<Caption>({
  typeName: 'VideoCaption',
  idOf: () => undefined,
  fields: {
    create_time: given('int', 'Unix seconds.', (row) => Math.floor(row.createdMs / 1000)),
    locale: given('string', 'Language and country.', (row) => row.locale),
    locale_name: given('string', 'Its name.', (row) => localeName(row.locale)),
    uri: given('string', 'The file.', (row, call) => absolute(filePath(captionKey(row.videoId, row.locale)), call)),
    webvtt_uri: {
      type: 'string',
      description: 'The same as WebVTT, which is what browsers take.',
      read: (row, call) => absolute(filePath(captionKey(row.videoId, row.locale)).replace(/srt$/, 'vtt'), call),
    },
    is_default: given('bool', 'Shown unasked.', (row) => row.isDefault),
    is_auto_generated: given('bool', 'Never here.', () => false),
  },
});

export interface Permission {
  readonly permission: string;
  readonly status: 'granted' | 'declined';
}

export const permissionType = defineNodeType<Permission>({
  typeName: 'Permission',
  idOf: () => undefined,
  fields: {
    permission: given('string', 'The scope.', (row) => row.permission),
    status: given('granted or declined', 'Whether the token has it.', (row) => row.status),
  },
});

export interface InsightRow {
  readonly id: string;
  readonly name: string;
  readonly period: string;
  readonly values: readonly object[];
  readonly title: string;
  readonly description: string;
}

export const insightType = defineNodeType<InsightRow>({
  typeName: 'InsightsResult',
  idOf: (row) => row.id,
  fields: {
    name: given('string', 'The metric.', (row) => row.name),
    period: given('string', 'Over which it is taken.', (row) => row.period),
    values: given('list<object>', 'value, and end_time where it is of a day.', (row) => row.values),
    title: given('string', 'What it is called.', (row) => row.title),
    description: given('string', 'What it counts.', (row) => row.description),
    id: given('string', 'Video, metric and period.', (row) => row.id),
  },
});
