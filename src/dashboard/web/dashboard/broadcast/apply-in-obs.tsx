/** Applies the changes in OBS: by the settings that it asks the server for, or by a profile to import. */

import { type JSX, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { ErrorView } from '../../../../spec/error-view.js';
import type { BroadcastView, HealthView } from '../../../view/protocol.js';
import type { Api } from '../client/api.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { settingsFor } from './encoder-settings.js';
import { downloadObsProfile } from './obs-profile.js';

/** Rules of video and audio (docs/rules.md): what the settings of an encoder decide. */
const SETTINGS_CODES = { from: 6200, to: 6399 } as const;

/** Nothing for other encoders, where no setting is at fault, and after the end: the profile is of this broadcast. */
export function ApplyInObs(props: {
  view: BroadcastView;
  health: HealthView | undefined;
  records: readonly ErrorView[];
}): JSX.Element | null {
  const { view, health, records } = props;
  const isObs = health?.encoder.startsWith('OBS') === true;
  const isAtFault = records.some(
    ({ error_code }) => error_code >= SETTINGS_CODES.from && error_code <= SETTINGS_CODES.to,
  );
  if (!isObs || !isAtFault || isOver(view)) return null;
  const isRunning = view.status === 'LIVE' && view.stream_state === 'connected';
  return isRunning && view.encoder_setup?.configured === true ? (
    <Retuned id={view.id} />
  ) : (
    <Imported id={view.id} profile={settingsFor(health)?.profile} />
  );
}

export const RETUNE_QUESTION = {
  question: 'Change the encoder settings?',
  detail: 'OBS is off air for about 45 seconds. The broadcast and its recording go on.',
  yes: 'Change settings',
  no: 'Keep settings',
} as const;

/** `profile`: 'auto' or as in `720p30`. `kbps`: 0 for what follows from the profile and the uplink. */
export async function retune(api: Api, id: string, profile = 'auto', kbps = '0'): Promise<void> {
  await api.post(`/${id}`, { retune_encoder: 'true', encoder_profile: profile, encoder_bitrate: kbps });
}

function Retuned({ id }: { id: string }): JSX.Element {
  const { api } = useSession();
  return (
    <div className="mt-2.5 print:hidden">
      <ActionButton confirm={RETUNE_QUESTION} act={() => retune(api, id)}>
        Apply in OBS
      </ActionButton>
    </div>
  );
}

function Imported({ id, profile }: { id: string; profile: string | undefined }): JSX.Element {
  const { api } = useSession();
  const [isDownloaded, setDownloaded] = useState(false);
  const download = async (): Promise<void> => {
    await downloadObsProfile(api, id, profile);
    setDownloaded(true);
  };
  return (
    <div className="mt-2.5 print:hidden">
      <ActionButton act={download}>Apply in OBS</ActionButton>
      {isDownloaded ? (
        <ol className="mt-2 list-decimal pl-6 text-sm">
          <li>Unpack the downloaded profile. It holds the stream key.</li>
          <li>
            In OBS: <b>Stop Streaming</b>, then <b>Profile</b>, <b>Import</b>, and select the folder <b>Airlock-{id}</b>
            .
          </li>
          <li>
            Select it in the menu <b>Profile</b>, then <b>Start Streaming</b>.
          </li>
        </ol>
      ) : null}
    </div>
  );
}
