/** Buttons to go live, end or cancel a broadcast, and to create and revoke dock links; in a row that wraps. */
import { FileText } from 'lucide-react';
import { type JSX, useState } from 'react';
import type { BroadcastView } from '../../../view/protocol.js';
import { dateTime } from '../../shared/format.js';
import { isOver } from '../../shared/verdicts.js';
import { buttonClass } from '../../ui/classes.js';
import { CopyField } from '../../ui/copy-field.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';

interface DockLink {
  readonly path: string;
  readonly expires: string;
}

export function Controls({ view }: { view: BroadcastView }): JSX.Element {
  const { api } = useSession();
  const [link, setLink] = useState<DockLink>();
  const [note, setNote] = useState('');
  const over = isOver(view);
  const mayGoLive = !over && view.status !== 'LIVE' && !view.goes_live_on_data;
  const makeLink = async (query = ''): Promise<void> => {
    setNote('');
    setLink(await api.post<DockLink>(`/dashboard/data/dock-links/${view.id}${query}`));
  };
  const revoke = async (): Promise<void> => {
    const { revoked } = await api.delete<{ revoked: number }>(`/dashboard/data/dock-links/${view.id}`);
    setLink(undefined);
    setNote(revoked === 1 ? '1 link revoked.' : `${revoked} links revoked.`);
  };
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
      {over ? <ShareReport id={view.id} /> : <ActionButton act={() => makeLink()}>OBS dock link</ActionButton>}
      {link === undefined ? null : (
        <div className="print:hidden basis-full">
          <p className="text-sm text-muted">
            In OBS, paste it under Docks, Custom Browser Docks. The link gives read access to this broadcast until{' '}
            {dateTime(Date.parse(link.expires))}.
          </p>
          <CopyField label="Dock link" text={new URL(link.path, window.location.href).href} secret />
          <ActionButton act={() => makeLink('?encoder_setup=true')}>Link that also sets up OBS</ActionButton>
          <ActionButton
            confirm={{ question: 'Revoke all dock links of this broadcast?', yes: 'Revoke all', no: 'Keep links' }}
            act={revoke}
          >
            Revoke links
          </ActionButton>
        </div>
      )}
      {note === '' ? null : (
        <span className="text-sm text-muted" role="status">
          {note}
        </span>
      )}
    </>
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
  const make = async (): Promise<void> => {
    setLink(await api.post<DockLink>(path));
    await list();
  };
  const end = async (linkId: string): Promise<void> => {
    await api.delete(`${path}?link=${linkId}`);
    setLink(undefined);
    await list();
  };
  const url = link === undefined ? '' : new URL(link.path, window.location.href).href;
  return (
    <>
      <ActionButton act={make}>
        <FileText size={14} aria-hidden="true" /> Report
      </ActionButton>
      <ActionButton act={list}>Report links</ActionButton>
      {link === undefined ? null : (
        <div className="print:hidden basis-full">
          <p className="text-sm text-muted">
            Anyone with this link can read the report, and nothing else, until {dateTime(Date.parse(link.expires))}.
          </p>
          <CopyField label="Report" text={url} />
          <a className={buttonClass('main')} href={url} target="_blank" rel="noreferrer">
            Open the report
          </a>
        </div>
      )}
      {links === undefined ? null : (
        <ul className="print:hidden basis-full text-sm text-muted" aria-label="Links to this report">
          {links.length === 0 ? <li>No links to this report.</li> : null}
          {links.map((each) => (
            <li key={each.id} className="flex flex-wrap items-center gap-2">
              Made {dateTime(each.created_ms)}, valid until {dateTime(each.expires_ms)}
              <ActionButton act={() => end(each.id)}>End link</ActionButton>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
