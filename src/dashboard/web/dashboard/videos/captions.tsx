/** Captions of a video: added with a language from a list, removed, and shown beside the player. */
import { type JSX, useEffect, useState } from 'react';
import { duration } from '../../shared/format.js';
import { Button } from '../../ui/button.js';
import { Fault } from '../../ui/callout.js';
import { Card } from '../../ui/card.js';
import { FIELD, LABEL } from '../../ui/classes.js';
import { type Api, messageOf, textOfLink } from '../client/api.js';
import { useRows } from '../client/rows.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { type Cue, cuesOf } from './cues.js';
import { FilePick } from './file-pick.js';

export interface CaptionRow {
  readonly locale: string;
  readonly locale_name: string;
  readonly is_default?: boolean;
  readonly webvtt_uri?: string;
}

/** Shown first; the browser's own language leads. */
const LOCALES = [
  ...['en_US', 'en_GB', 'es_ES', 'es_MX', 'pt_BR', 'pt_PT', 'fr_FR', 'de_DE', 'it_IT', 'nl_NL', 'pl_PL', 'sv_SE'],
  ...['da_DK', 'nb_NO', 'fi_FI', 'cs_CZ', 'hu_HU', 'ro_RO', 'el_GR', 'tr_TR', 'uk_UA', 'ru_RU', 'ar_EG', 'he_IL'],
  ...['hi_IN', 'bn_BD', 'ur_PK', 'id_ID', 'ms_MY', 'vi_VN', 'th_TH', 'ja_JP', 'ko_KR', 'zh_CN', 'zh_TW'],
];
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });
const nameOf = (locale: string): string => LANGUAGES.of(locale.replace('_', '-')) ?? locale;

export function useCaptions(api: Api, id: string) {
  return useRows<CaptionRow>(api, `/${id}/captions`, { fields: 'locale,locale_name,is_default,webvtt_uri' });
}

export function Captions(props: {
  id: string;
  captions: ReturnType<typeof useCaptions>;
  seek: (seconds: number) => void;
}): JSX.Element {
  const { id, captions, seek } = props;
  const { api } = useSession();
  const { rows, fault, read } = captions;
  const [locale, setLocale] = useState(localeOfBrowser);
  const [shown, setShown] = useState<string>();
  const add = async (file: File): Promise<void> => {
    const form = new FormData();
    // The server takes the locale from the name of the file.
    form.append('captions_file', file, `captions.${locale}.srt`);
    await api.postForm(`/${id}/captions`, form);
    await read();
  };
  const shownRow = rows?.find((row) => row.locale === shown);
  return (
    <Card title="Captions">
      {fault === '' ? null : <Fault message={fault} retry={() => void read()} />}
      {rows?.length === 0 ? <p className="text-sm text-muted">None yet.</p> : null}
      <ul className="my-2">
        {(rows ?? []).map((row) => (
          <li key={row.locale} className="flex flex-wrap items-center justify-between gap-2.5 py-1.5">
            <span>
              {row.locale_name} <small>{row.is_default ? `${row.locale}, default` : row.locale}</small>
            </span>
            <span className="inline-flex gap-2">
              <Button
                aria-pressed={shown === row.locale}
                onClick={() => setShown(shown === row.locale ? undefined : row.locale)}
              >
                Preview
              </Button>
              <ActionButton
                confirm={{
                  question: `Delete the captions in ${row.locale_name}?`,
                  yes: 'Delete captions',
                  no: 'Keep captions',
                }}
                act={() => api.post(`/${id}/captions`, { locales_to_delete: JSON.stringify([row.locale]) }).then(read)}
              >
                Delete
              </ActionButton>
            </span>
          </li>
        ))}
      </ul>
      {shownRow?.webvtt_uri === undefined ? null : <Preview url={shownRow.webvtt_uri} seek={seek} />}
      <LanguagePick locale={locale} onPick={setLocale} />
      <FilePick
        label="Add captions"
        accept=".srt"
        hint="A SubRip file; it replaces captions of this language."
        take={add}
      />
    </Card>
  );
}

function LanguagePick({ locale, onPick }: { locale: string; onPick: (locale: string) => void }): JSX.Element {
  return (
    <label className={`${LABEL} mb-2`}>
      Language
      <select className={`${FIELD} font-normal`} value={locale} onChange={(event) => onPick(event.currentTarget.value)}>
        {[...new Set([localeOfBrowser(), ...LOCALES])].map((each) => (
          <option key={each} value={each}>
            {nameOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function localeOfBrowser(): string {
  const exact = navigator.language.replace('-', '_');
  return LOCALES.find((each) => each === exact || each.startsWith(`${exact}_`)) ?? 'en_US';
}

function Preview({ url, seek }: { url: string; seek: (seconds: number) => void }): JSX.Element {
  const [cues, setCues] = useState<readonly Cue[]>();
  const [fault, setFault] = useState('');
  useEffect(() => {
    textOfLink(url)
      .then((text) => setCues(cuesOf(text)))
      .catch((error: unknown) => setFault(messageOf(error)));
  }, [url]);
  if (fault !== '') return <Fault message={fault} />;
  return (
    <ol className="mb-3 max-h-64 overflow-y-auto rounded-md bg-ground p-2 text-sm" aria-label="Captions">
      {(cues ?? []).map((cue) => (
        <li key={`${cue.fromMs} ${cue.text}`}>
          <button
            type="button"
            className="flex w-full gap-3 rounded-sm px-1.5 py-1 text-left hover:bg-card"
            onClick={() => seek(cue.fromMs / 1000)}
          >
            <span className="w-12 flex-none text-muted">{duration(cue.fromMs)}</span>
            <span className="whitespace-pre-line">{cue.text}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}
