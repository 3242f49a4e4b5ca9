/** Other settings for the encoder of a running broadcast, for an OBS that was set up by the server. */
import { type JSX, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { FIELD } from '../../ui/classes.js';
import { Panel } from '../../ui/panel.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { RETUNE_QUESTION, retune } from './apply-in-obs.js';
import { ENCODER_SETTINGS } from './encoder-settings.js';

export function Retune({ view }: { view: BroadcastView }): JSX.Element | null {
  const { api } = useSession();
  const [profile, setProfile] = useState('auto');
  const [kbps, setKbps] = useState('');
  if (view.status !== 'LIVE' || view.stream_state !== 'connected' || view.encoder_setup?.configured !== true)
    return null;
  return (
    <Panel button="Encoder settings" title="Encoder settings">
      <div className="flex flex-wrap items-center gap-2">
        <label className="inline-flex items-center gap-2">
          Profile
          <select className={FIELD} value={profile} onChange={(event) => setProfile(event.currentTarget.value)}>
            <option value="auto">Automatic</option>
            {ENCODER_SETTINGS.map((each) => (
              <option key={each.profile} value={each.profile}>
                {each.name}
              </option>
            ))}
          </select>
        </label>
        <label className="inline-flex items-center gap-2">
          Bitrate in kbps
          <input
            className={FIELD}
            inputMode="numeric"
            placeholder="automatic"
            size={9}
            value={kbps}
            onChange={(event) => setKbps(event.currentTarget.value.replace(/\D/g, ''))}
          />
        </label>
        <ActionButton confirm={RETUNE_QUESTION} act={() => retune(api, view.id, profile, kbps === '' ? '0' : kbps)}>
          Change settings
        </ActionButton>
      </div>
    </Panel>
  );
}
