/** Copyright matches for the operator of the server: both sounds side by side, and the decision. */
import type { JSX } from 'react';
import type { MatchDetails } from '../../../../spec/error-record.js';
import { dateTime, duration } from '../../shared/format.js';
import { Button } from '../../ui/button.js';
import { Badge, Callout, Fault, type Tone } from '../../ui/callout.js';
import { Card, Empty, Loading } from '../../ui/card.js';
import { LINK } from '../../ui/classes.js';
import type { ApiError } from '../client/api.js';
import { usePages } from '../client/pages.js';
import { linkTo } from '../client/route.js';
import { useSession } from '../client/session.js';
import { ActionButton } from '../client/ui.js';
import { MatchSound } from './match-sound.js';

interface MatchRow extends MatchDetails {
  readonly id: string;
  readonly state: string;
  readonly found_ms: number;
  readonly subject_id: string;
  /** Absent: the subject was deleted. */
  readonly subject_kind?: 'live_video' | 'video';
  readonly owner_id: string;
  readonly dispute?: string;
}

interface MatchPage {
  readonly matches: readonly MatchRow[];
  readonly next?: string;
}

const PATH = '/dashboard/data/matches';
const STATES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  open: { label: 'Open', tone: 'warn' },
  disputed: { label: 'Disputed', tone: 'fail' },
  confirmed: { label: 'Confirmed', tone: 'quiet' },
  dismissed: { label: 'Dismissed', tone: 'quiet' },
};

function explain({ fault, message }: ApiError): string {
  return fault.status === 403
    ? 'This page is for the operator: sign in with a token with the scope operator.'
    : message;
}

export function MatchesPage(): JSX.Element {
  const { api } = useSession();
  const {
    rows,
    fault,
    more,
    reload,
    change: changeRows,
  } = usePages<MatchRow>({
    key: ['matches'],
    read: async (after, signal) => {
      const { matches, next } = await api.get<MatchPage>(PATH, after === undefined ? {} : { after }, signal);
      return { rows: matches, next };
    },
    explain,
  });
  const change = (changed: MatchRow): void => changeRows((row) => (row.id === changed.id ? changed : row));
  return (
    <>
      <h1 className="mb-2">Copyright matches</h1>
      <p className="mb-4 max-w-prose text-sm text-muted">
        A match is a candidate, not proof: listen to both sounds before you decide. Confirming stops the broadcast and
        withholds its recording. Dismissing releases both.
      </p>
      {fault === '' ? null : <Fault message={fault} retry={reload} />}
      {rows === undefined && fault === '' ? <Loading what="Loading matches" /> : null}
      {rows?.length === 0 ? (
        <Empty title="No matches">
          <p>Broadcasts and videos that match a copyright reference of another Page appear here.</p>
        </Empty>
      ) : null}
      {(rows ?? []).map((row) => (
        <MatchCard key={row.id} match={row} onChange={change} />
      ))}
      {more === undefined ? null : <Button onClick={more}>Older</Button>}
    </>
  );
}

function MatchCard({ match, onChange }: { match: MatchRow; onChange: (changed: MatchRow) => void }): JSX.Element {
  const { api } = useSession();
  const { label, tone } = STATES[match.state] ?? { label: match.state, tone: 'quiet' as const };
  const decide = (decision: string) => async (): Promise<void> =>
    onChange(await api.post<MatchRow>(`${PATH}/${match.id}?decision=${decision}`));
  const differ = `${(match.error_rate * 100).toFixed(1)} % of the bits differ`;
  return (
    <Card title={`Found ${dateTime(match.found_ms)}`} aside={<Badge tone={tone}>{label}</Badge>}>
      <p className="mb-2 text-sm text-muted">
        {duration(match.length_ms)} long when found, {differ}, policy {match.policy}
        {match.pictures_compared === undefined
          ? ''
          : `, ${match.pictures_alike ?? 0} of ${match.pictures_compared} pictures alike`}
      </p>
      {match.dispute === undefined ? null : (
        <Callout tone="warn">
          <p>The owner disputes it: {match.dispute}</p>
        </Callout>
      )}
      <div className="mb-3 grid gap-4 md:grid-cols-2">
        <MatchSound
          path={`${PATH}/${match.id}/found`}
          title="Broadcast or video"
          detail={`${match.subject_id}, from ${duration(match.start_ms)} on, owner ${match.owner_id}`}
        />
        <MatchSound
          path={`${PATH}/${match.id}/reference`}
          title="Reference"
          detail={`${match.reference_id}, from ${duration(match.offset_ms)} on, Page ${match.page_id}`}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        {match.state === 'confirmed' ? null : (
          <ActionButton
            kind="danger"
            act={decide('confirmed')}
            confirm={{
              question: 'Stop the broadcast if it runs, and withhold the recording or video?',
              yes: 'Confirm match',
              no: 'Cancel',
            }}
          >
            Confirm match
          </ActionButton>
        )}
        {match.state === 'dismissed' ? null : <ActionButton act={decide('dismissed')}>Dismiss match</ActionButton>}
        <SubjectLink match={match} />
      </div>
    </Card>
  );
}

/** An upload has no broadcast. */
function SubjectLink({ match: { subject_id: id, subject_kind: kind } }: { match: MatchRow }): JSX.Element | null {
  if (kind === undefined) return null;
  return (
    <a className={LINK} href={kind === 'video' ? linkTo.video(id) : linkTo.broadcast(id)}>
      Open the {kind === 'video' ? 'video' : 'broadcast'}
    </a>
  );
}
