/**
 * `/{video-id}/captions`: SubRip files, one per locale; a second file replaces the first. One request may delete, add and
 * set the default, in this order.
 */

import { z } from 'zod';
import { WireError } from '../../bytes/wire-error.js';
import type { VideoData } from '../../lifecycle/documents.js';
import { parseSubRip } from '../../media/subrip/subrip.js';
import { edgeOf, type Write } from '../../ports/index.js';
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';
import { type Call, type FilePart, SUCCESS } from '../graph/call.js';
import { defineEdge } from '../graph/edge.js';
import { entriesOf, listEntries } from '../graph/listed.js';
import { byDefault, defineNodeType } from '../graph/node-type.js';
import { operation } from '../graph/registry.js';
import { absolute, graphUnixTime } from '../graph/values.js';
import { list, text } from '../params/kinds.js';
import { changeLine } from './shared/change-line.js';
import type { Video } from './shared/documents.js';
import { editObject } from './shared/edit.js';
import { blobsOf, captionKey, filePath } from './shared/files.js';

export interface Caption {
  readonly videoId: string;
  readonly locale: string;
  readonly createdMs: number;
  readonly isDefault: boolean;
}

/** Made with the first caption: the tables of names take 7 MB. */
let displayNames: Intl.DisplayNames | undefined;

/** `en_US` → `English (US)` */
function localeName(locale: string): string {
  displayNames ??= new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard', style: 'short' });
  try {
    return displayNames.of(locale.replace('_', '-')) ?? locale;
  } catch (error) {
    if (error instanceof RangeError) return locale;
    throw error;
  }
}

/** Rows of captions have no id. */
const captionType = defineNodeType<Caption>({
  typeName: 'VideoCaption',
  idOf: () => undefined,
  fields: {
    create_time: byDefault('int', 'Unix seconds, unless date_format is given.', (row, call) =>
      graphUnixTime(row.createdMs, call),
    ),
    locale: byDefault('string', 'Language and country.', (row) => row.locale),
    locale_name: byDefault('string', 'Display name of the locale.', (row) => localeName(row.locale)),
    uri: byDefault('string', 'URL of the SubRip file.', (row, call) =>
      absolute(filePath(captionKey(row.videoId, row.locale)), call),
    ),
    webvtt_uri: {
      type: 'string',
      description: 'URL of the captions as WebVTT, the format that browsers support.',
      read: (row, call) => absolute(filePath(captionKey(row.videoId, row.locale)).replace(/srt$/, 'vtt'), call),
    },
    is_default: byDefault('bool', 'Whether the captions are shown by default.', (row) => row.isDefault),
    is_auto_generated: byDefault('bool', 'Always false here.', () => false),
  },
});

export const captionsEdge = defineEdge<VideoData, z.ZodObject>({
  row: captionType,
  params: z.object({}),
  lists: entriesOf('captions', { ascending: true }),
  read: ({ call, owner, paging }) =>
    listEntries(
      call,
      edgeOf(owner.id, 'captions'),
      paging,
      (entry) => ({
        videoId: owner.id,
        locale: entry.member,
        createdMs: entry.score,
        isDefault: owner.data.defaultLocale === entry.member,
      }),
      { ascending: true },
    ),
});

const LOCALE = /^([a-z]{2,3})_([A-Z]{2})$/;
/** Made with the first caption, like `displayNames`. */
let known: { readonly languages: Intl.DisplayNames; readonly regions: Intl.DisplayNames } | undefined;

/** Whether it is a language and a country that exist: `en_US`, not `zz_QX`. */
function isLocale(value: string): boolean {
  const [, language, region] = LOCALE.exec(value) ?? [];
  if (language === undefined || region === undefined) return false;
  known ??= {
    languages: new Intl.DisplayNames('en', { type: 'language', fallback: 'none' }),
    regions: new Intl.DisplayNames('en', { type: 'region', fallback: 'none' }),
  };
  return known.languages.of(language) !== undefined && known.regions.of(region) !== undefined;
}

const NO_LOCALE = 'a locale (language and country, as en_US)';
const localeParam = text({ max: 10 }).refine(isLocale, NO_LOCALE);
const defaultParam = text({ max: 10 }).refine((value) => value === 'none' || isLocale(value), `${NO_LOCALE}, or none`);

const updateParams = z.object({
  default_locale: defaultParam.optional(),
  locales_to_delete: list(localeParam).optional(),
});

export const updateCaptions = operation<VideoData, typeof updateParams>(updateParams, async (call, video, params) => {
  const file = call.files.get('captions_file');
  const { default_locale: defaultLocale, locales_to_delete: unwanted } = params;
  if (!file && defaultLocale === undefined && unwanted === undefined) {
    throw parameterError('The parameter captions_file is required');
  }
  const present = await localesOf(call, video.id);
  const added = file && captionLocale(file);
  if (unwanted) requirePresent(present, unwanted);
  const kept = new Set(present.filter((locale) => !unwanted?.includes(locale)));
  if (file) checkSubRip(file);
  if (added !== undefined) kept.add(added);
  if (defaultLocale !== undefined && defaultLocale !== 'none' && !kept.has(defaultLocale)) {
    throw parameterError('Param default_locale must be a locale of this video, or none');
  }
  if (unwanted)
    await removeLocales(
      call,
      video,
      present.filter((locale) => unwanted.includes(locale)),
    );
  const writes: Write[] = [];
  if (file && added !== undefined) {
    await blobsOf(call).put(captionKey(video.id, added), file.bytes);
    writes.push({ op: 'edgeAdd', ...edgeOf(video.id, 'captions'), member: added, score: call.nowMs });
  }
  await editObject<VideoData>(call, video.id, (data) => withDefault(data, kept, defaultLocale), writes);
  return SUCCESS;
});

/** The first captions of a video become the default. Deleting the default captions unsets it. */
function withDefault(data: VideoData, kept: ReadonlySet<string>, wanted: string | undefined): VideoData {
  const { defaultLocale: before, ...rest } = data;
  const first = before === undefined && kept.size === 1 ? [...kept][0] : undefined;
  const next = wanted ?? (before !== undefined && (before === 'none' || kept.has(before)) ? before : first);
  return next === undefined ? rest : { ...rest, defaultLocale: next };
}

const deleteParams = z.object({ locale: localeParam.optional(), locales_to_delete: list(localeParam).optional() });

/** Deletes the named locales, or all if none is named. */
export const deleteCaptions = operation<VideoData, typeof deleteParams>(
  deleteParams,
  async (call, video: Video, params) => {
    const named = [...(params.locales_to_delete ?? []), ...(params.locale === undefined ? [] : [params.locale])];
    const present = await localesOf(call, video.id);
    requirePresent(present, named);
    const gone = named.length === 0 ? present : present.filter((locale) => named.includes(locale));
    await removeLocales(call, video, gone);
    const kept = new Set(present.filter((locale) => !gone.includes(locale)));
    await editObject<VideoData>(call, video.id, (data) => withDefault(data, kept, undefined));
    return SUCCESS;
  },
);

/** @throws ServiceError 100 that names a locale without captions */
function requirePresent(present: readonly string[], named: readonly string[]): void {
  const missing = named.find((locale) => !present.includes(locale));
  if (missing !== undefined) throw parameterError(`The video has no captions for the locale ${missing}`);
}

async function localesOf(call: Call, videoId: string): Promise<string[]> {
  const page = await call.services.store.objects.page(edgeOf(videoId, 'captions'), { limit: 500, ascending: true });
  return page.entries.map((entry) => entry.member);
}

/**
 * Removes the list entry before the file: an orphaned file is swept later, an entry without a file is a broken link.
 */
async function removeLocales(call: Call, video: Video, locales: readonly string[]): Promise<void> {
  if (locales.length === 0) return;
  await call.services.store.objects.commit([
    ...locales.map((member): Write => ({ op: 'edgeRemove', ...edgeOf(video.id, 'captions'), member })),
    changeLine(call, 'delete', video),
  ]);
  for (const locale of locales) await call.services.blobs?.delete(captionKey(video.id, locale));
}

function captionsError(code: number, message: string): ServiceError {
  return new ServiceError({
    code,
    type: 'OAuthException',
    status: 400,
    message: `(#${code}) ${message}`,
    isTransient: false,
  });
}

/** `anything.ll_CC.srt` */
function captionLocale(file: FilePart): string {
  const locale = /\.([A-Za-z_]+)\.srt$/i.exec(file.fileName)?.[1] ?? '';
  if (!isLocale(locale)) {
    throw captionsError(386, 'The file name must be of the form name.ll_CC.srt, with a language and a country');
  }
  return locale;
}

/** Checks the content: any encoding and any line endings of SubRip are accepted. */
function checkSubRip(file: FilePart): void {
  if (file.bytes.length > API_LIMITS.captionsBytes) {
    throw captionsError(387, `The captions file must be at most ${API_LIMITS.captionsBytes} bytes long`);
  }
  try {
    parseSubRip(file.bytes);
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    throw captionsError(385, `The file is not SubRip (.srt): ${error.message}`);
  }
}
