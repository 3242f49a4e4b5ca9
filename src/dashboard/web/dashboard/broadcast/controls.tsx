/** Buttons to go live, end or cancel a broadcast, and to create and revoke dock links; in a row that wraps. Links stand in panels. */

import { FileText } from 'lucide-react';
import { type JSX, useState } from 'react';
import { isOver } from '../../../../lifecycle/lifecycle.js';
import type { BroadcastView } from '../../../view/protocol.js';
import { dateTime } from '../../shared/format.js';
import { Fault } from '../../ui/callout.js';
import { buttonClass } from '../../ui/classes.js';
import { CopyField } from '../../ui/copy-field.js';
import { Panel } from '../../ui/panel.js';
import { messageOf } from '../client/api.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface DockLink {
  readonly path: string;
  readonly expires: string;
}

export function Controls({ view }: { view: BroadcastView }): JSX.Element {
  const { api } = useSession();
  const over = isOver(view);
  const mayGoLive = !over && view.status !== 'LIVE' && !view.goes_live_on_data;
  return (
    <>
      <span className="mr-auto max-md:basis-full" />
      {mayGoLive ? (
        <ActionButton kind="main" act={() => api.post(`/${view.id}`, { status: 'LIVE_NOW' })}>
          Go live
        </ActionButton>
      ) : null}
      {view.status === 'LIVE' ? (
        <ActionButton
          kind="danger"
          confirm={{
            question: 'End broadcast?',
            detail: 'The encoder is disconnected and the recording is processed.',
            yes: 'End broadcast',
            no: 'Keep streaming',
          }}
          act={() => api.post(`/${view.id}`, { end_live_video: 'true' })}
        >
          End broadcast
        </ActionButton>
      ) : null}
      {view.status === 'SCHEDULED_UNPUBLISHED' || view.status === 'SCHEDULED_LIVE' ? (
        <ActionButton
          confirm={{ question: 'Cancel the scheduled broadcast?', yes: 'Cancel broadcast', no: 'Keep scheduled' }}
          act={() => api.post(`/${view.id}`, { status: 'SCHEDULED_CANCELED' })}
        >
          Cancel broadcast
        </ActionButton>
      ) : null}
      {over ? <ShareReport id={view.id} /> : <DockLinks id={view.id} />}
    </>
  );
}

/** Reads or makes the content of a panel when it opens. */
function useOnOpen(act: () => Promise<void>): { readonly open: () => void; readonly fault: string } {
  const [fault, setFault] = useState('');
  const open = (): void => {
    setFault('');
    act().catch((error: unknown) => setFault(messageOf(error)));
  };
  return { open, fault };
}

/** A link is made when the panel is opened for the first time. */
function DockLinks({ id }: { id: string }): JSX.Element {
  const { api } = useSession();
  const [link, setLink] = useState<DockLink>();
  const [note, setNote] = useState('');
  const path = `/dashboard/data/dock-links/${id}`;
  const make = async (query = ''): Promise<void> => {
    setNote('');
    setLink(await api.post<DockLink>(path + query));
  };
  const { open, fault } = useOnOpen(async () => (link === undefined ? make() : undefined));
  const revoke = async (): Promise<void> => {
    const { revoked } = await api.delete<{ revoked: number }>(path);
    setLink(undefined);
    setNote(revoked === 1 ? '1 link revoked.' : `${revoked} links revoked.`);
  };
  return (
    <Panel button="OBS dock link" title="OBS dock link" onOpen={open}>
      {fault === '' ? null : <Fault message={fault} retry={open} />}
      {link === undefined ? null : (
        <>
          <p className="text-sm text-muted">
            In OBS, paste it under Docks, Custom Browser Docks. The link gives read access to this broadcast until{' '}
            {dateTime(Date.parse(link.expires))}.
          </p>
          <CopyField label="Dock link" text={new URL(link.path, window.location.href).href} secret isNarrow />
        </>
      )}
      <div className="flex flex-wrap gap-2">
        <ActionButton act={() => make('?encoder_setup=true')}>Link that also sets up OBS</ActionButton>
        <ActionButton
          confirm={{ question: 'Revoke all dock links of this broadcast?', yes: 'Revoke all', no: 'Keep links' }}
          act={revoke}
        >
          Revoke links
        </ActionButton>
      </div>
      <p className="text-sm text-muted" role="status">
        {note}
      </p>
    </Panel>
  );
}

interface ReportLink {
  readonly id: string;
  readonly created_ms: number;
  readonly expires_ms: number;
}

/** Links to the report, which anyone can open until they expire or are ended. */
function ShareReport({ id }: { id: string }): JSX.Element {
  const { api } = useSession();
  const [link, setLink] = useState<DockLink>();
  const [links, setLinks] = useState<readonly ReportLink[]>();
  const path = `/dashboard/data/report-links/${id}`;
  const list = async (): Promise<void> => setLinks((await api.get<{ links: readonly ReportLink[] }>(path)).links);
  const make = useOnOpen(async () => {
    if (link !== undefined) return;
    setLink(await api.post<DockLink>(path));
  });
  const listed = useOnOpen(list);
  const end = async (linkId: string): Promise<void> => {
    await api.delete(`${path}?link=${linkId}`);
    setLink(undefined);
    await list();
  };
  const url = link === undefined ? '' : new URL(link.path, window.location.href).href;
  const name = (
    <>
      <FileText size={14} aria-hidden="true" /> Report
    </>
  );
  return (
    <>
      <Panel button={name} title="Report" onOpen={make.open}>
        {make.fault === '' ? null : <Fault message={make.fault} retry={make.open} />}
        {link === undefined ? null : (
          <>
            <p className="text-sm text-muted">
              Anyone with this link can read the report, and nothing else, until {dateTime(Date.parse(link.expires))}.
            </p>
            <CopyField label="Report" text={url} isNarrow />
            <a className={buttonClass('main')} href={url} target="_blank" rel="noreferrer">
              Open the report
            </a>
          </>
        )}
      </Panel>
      <Panel button="Report links" title="Report links" onOpen={listed.open}>
        {listed.fault === '' ? null : <Fault message={listed.fault} retry={listed.open} />}
        {links === undefined ? null : (
          <ul className="text-sm text-muted" aria-label="Links to this report">
            {links.length === 0 ? <li>No links to this report.</li> : null}
            {links.map((each) => (
              <li key={each.id} className="flex flex-wrap items-center justify-between gap-2 py-1">
                Made {dateTime(each.created_ms)}, valid until {dateTime(each.expires_ms)}
                <ActionButton act={() => end(each.id)}>End link</ActionButton>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  );
}
