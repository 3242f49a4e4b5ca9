/** Server, stream key, and the settings for OBS and ffmpeg. */
import { type JSX, useEffect, useState } from 'react';
import { OBS } from '../../../../rules/remedies/labels.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { Fault } from '../../ui/callout.js';
import { Loading } from '../../ui/card.js';
import { CARD, FIELD } from '../../ui/classes.js';
import { CopyField } from '../../ui/copy-field.js';
import { useAnswer } from '../client/queries.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { ENCODER_SETTINGS, ffmpegLine, gstreamerLine, larixLink, splitStreamUrl } from './encoder-settings.js';
import { ObsMenu } from './obs-menu.js';
import { downloadObsProfile } from './obs-profile.js';
import { QrCode } from './qr-code.js';

const { places, settings: labels, advanced } = OBS;
const FIRST = ENCODER_SETTINGS.find(({ name }) => name.startsWith('720p at 30')) ?? ENCODER_SETTINGS[0];

export function EncoderGuide({ view, open }: { view: BroadcastView; open: boolean }): JSX.Element {
  const [shown, setShown] = useState(open);
  useEffect(() => setShown(open), [open]);
  return (
    <details className={CARD} open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        <h2 className="inline">Set up the encoder</h2>
      </summary>
      {shown ? <Guide id={view.id} /> : null}
    </details>
  );
}

function Guide({ id }: { id: string }): JSX.Element {
  const { api } = useSession();
  const [name, setName] = useState(FIRST?.name ?? '');
  const fields = { fields: 'secure_stream_url' };
  const { answer, fault, read } = useAnswer<{ secure_stream_url?: string }>(api, `/${id}`, fields);
  const url = answer?.secure_stream_url;
  if (fault !== '' && url === undefined) return <Fault message={fault} retry={() => void read()} />;
  if (answer !== undefined && url === undefined) {
    return <Fault message="Your token permits reading this broadcast, but not its stream key." />;
  }
  const settings = ENCODER_SETTINGS.find((each) => each.name === name) ?? FIRST;
  if (url === undefined || settings === undefined) return <Loading what="Loading the stream key" />;
  const { server, key } = splitStreamUrl(url);
  return (
    <>
      <CopyField label="Server" text={server} />
      <CopyField label="Stream key" text={key} secret />
      <label className="my-2 inline-flex items-center gap-2.5">
        Profile
        <select className={FIELD} value={settings.name} onChange={(event) => setName(event.currentTarget.value)}>
          {ENCODER_SETTINGS.map((each) => (
            <option key={each.name}>{each.name}</option>
          ))}
        </select>
      </label>
      <ObsProfile id={id} profile={settings.profile} />
      <h3>OBS Studio, by hand</h3>
      <ol className="mt-1.5 mb-4 list-decimal pl-6">
        <li>
          {places.settings}, {places.stream}: Service <b>Custom…</b>, {labels.server} and Stream Key as above.
        </li>
        <li>
          {places.settings}, {places.output}: {labels.outputMode} <b>{places.advanced}</b>; Streaming:{' '}
          {labels.videoEncoder} <b>x264</b> or another H.264 encoder, {advanced.rateControl} <b>CBR</b>,{' '}
          {advanced.bitrate} <b>{settings.videoKbps} Kbps</b>, {advanced.keyframeInterval}{' '}
          <b>{settings.keyFrameSeconds} s</b>, Profile <b>high</b>.
        </li>
        <li>
          {places.settings}, {places.output}, {places.audio}, {places.track1}: {labels.audioBitrate}{' '}
          <b>{settings.audioKbps}</b>.
        </li>
        <li>
          {places.settings}, {places.audio}: {labels.sampleRate} <b>48 kHz</b>, {labels.channels} <b>Stereo</b>.
        </li>
        <li>
          {places.settings}, {places.video}: {labels.scaledResolution}{' '}
          <b>
            {settings.width}x{settings.height}
          </b>
          , {labels.commonFps} <b>{settings.fps}</b>.
        </li>
      </ol>
      <h3>ffmpeg</h3>
      <CopyField label="ffmpeg command" text={ffmpegLine(settings, url)} secret multiline />
      <h3>GStreamer</h3>
      <CopyField label="GStreamer command" text={gstreamerLine(settings, url)} secret multiline />
      <Larix link={larixLink(settings, url, 'Airlock')} />
    </>
  );
}

function Larix({ link }: { link: string }): JSX.Element {
  const [shown, setShown] = useState(false);
  return (
    <>
      <h3>Larix Broadcaster</h3>
      <p className="my-1.5">
        On the phone itself, <a href={link}>open the settings in Larix</a>. From this screen, scan the code, which
        contains the stream key.
      </p>
      <details onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary>Show the code</summary>
        {shown ? <QrCode text={link} label="Settings for Larix Broadcaster" /> : null}
      </details>
    </>
  );
}

function ObsProfile({ id, profile }: { id: string; profile: string }): JSX.Element {
  const { api } = useSession();
  return (
    <>
      <h3>OBS Studio, by a profile</h3>
      <ol className="mt-1.5 mb-4 list-decimal pl-6">
        <li>
          <ActionButton act={() => downloadObsProfile(api, id, profile)}>Set up OBS</ActionButton> downloads a profile
          with the stream key. Unpack it.
        </li>
        <li>
          In OBS: <b>Profile</b>, <b>Import</b>, and select the folder <b>Airlock-{id}</b>.
        </li>
        <li>
          Select it in the menu <b>Profile</b>, then <b>Start Streaming</b>. OBS 30.2 and newer ask this server for
          their settings each time.
        </li>
      </ol>
      <ObsMenu />
    </>
  );
}
