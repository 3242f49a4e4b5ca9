/** The server's own state: its roles, queues, disk and certificate. */
import type { JSX, ReactNode } from 'react';
import type { ServerState } from '../../../view/server-state.js';
import { bytes, number } from '../../shared/format.js';
import { Card } from '../../ui/card.js';
import { classes } from '../../ui/classes.js';
import { useReading } from '../client/queries.js';
import { useSession } from '../client/session.js';

const REFRESH_MS = 5_000;
const FIRST_RATE_MS = 1_000;
const DAY_MS = 86_400_000;
/** Renewal of a certificate should not wait longer. */
const CERTIFICATE_DAYS = 14;
const SLOW_LOOP_MS = 200;

interface Sample {
  readonly state: ServerState;
  readonly atMs: number;
}

/** The newest state and the one before it, for rates. */
function useServerState(): readonly Sample[] {
  const { api } = useSession();
  const { answer } = useReading<readonly Sample[]>({
    queryKey: ['server'],
    queryFn: async ({ signal, client, queryKey }) => {
      const state = await api.get<ServerState>('/dashboard/data/server', {}, signal);
      const held = client.getQueryData<readonly Sample[]>(queryKey) ?? [];
      return [...held.slice(-1), { state, atMs: performance.now() }];
    },
    // The second sample comes sooner, so that rates are there soon.
    refetchInterval: ({ state }) => (state.data?.length === 1 ? FIRST_RATE_MS : REFRESH_MS),
  });
  return answer ?? [];
}

export function ServerCard(): JSX.Element | null {
  const samples = useServerState();
  const state = samples.at(-1)?.state;
  if (state === undefined) return null;
  const jobs = Object.values(state.jobs ?? {}).reduce((sum, count) => sum + count, 0);
  return (
    <Card title="State of the server">
      <dl className="mb-4 grid grid-cols-2 gap-3 md:grid-cols-4 xl:grid-cols-8">
        <Fact name="Encoders">{number(state.publishers)}</Fact>
        <Fact name="Viewers">{number(state.viewers)}</Fact>
        <Fact name="Open pages">{number(state.feed_readers)}</Fact>
        <Fact name="Media jobs">{number(jobs)}</Fact>
        <Fact name="Unsaved errors" bad={state.journal_pending > 1_000}>
          {number(state.journal_pending)}
        </Fact>
        <Fact name="Paused recordings" bad={state.recordings_paused > 0}>
          {number(state.recordings_paused)}
        </Fact>
        <Disk disk={state.disk} />
        <Certificate expires={state.certificate_expires} />
      </dl>
      <Roles samples={samples} />
    </Card>
  );
}

/** In the way of a packet, whatever order they started in. */
const ORDER = ['supervisor', 'ingest', 'store', 'web', 'playback', 'media', 'forward'];

function inOrder(roles: ServerState['roles']): ServerState['roles'] {
  return [...roles].sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
}

function Fact({ name, bad = false, children }: { name: string; bad?: boolean; children: ReactNode }): JSX.Element {
  return (
    <div className="rounded-md bg-ground px-3 py-2">
      <dt className="text-sm text-muted">{name}</dt>
      <dd className={classes('text-lg font-semibold', bad && 'text-fail')}>{children}</dd>
    </div>
  );
}

function Disk({ disk }: { disk: ServerState['disk'] }): JSX.Element | null {
  if (disk === undefined) return null;
  return (
    <Fact name="Free disk" bad={disk.free_bytes < disk.reserve_bytes}>
      {bytes(disk.free_bytes)} <small className="block">{bytes(disk.reserve_bytes)} kept free</small>
    </Fact>
  );
}

function Certificate({ expires }: { expires: string | undefined }): JSX.Element | null {
  if (expires === undefined) return null;
  const days = Math.floor((Date.parse(expires) - Date.now()) / DAY_MS);
  return (
    <Fact name="Certificate" bad={days < CERTIFICATE_DAYS}>
      {days < 0 ? 'expired' : `${number(days)} days`}
    </Fact>
  );
}

function Roles({ samples }: { samples: readonly Sample[] }): JSX.Element {
  const [before, now] = samples.length === 2 ? samples : [undefined, samples[0]];
  const cpuOf = (role: string): string => {
    const find = (sample: Sample | undefined) => sample?.state.roles.find((each) => each.role === role)?.cpu_seconds;
    const [from, to] = [find(before), find(now)];
    if (before === undefined || now === undefined || from === undefined || to === undefined) return '–';
    return `${number((100_000 * Math.max(0, to - from)) / (now.atMs - before.atMs))} %`;
  };
  return (
    <table className="w-full whitespace-nowrap text-right text-sm max-sm:text-xs">
      <thead className="text-muted">
        <tr>
          <th scope="col" className="text-left">
            Role
          </th>
          <th scope="col" className="pl-3 max-sm:pl-1.5">
            CPU
          </th>
          <th scope="col" className="pl-3 max-sm:pl-1.5">
            Memory
          </th>
          <th scope="col" className="pl-3 max-sm:pl-1.5">
            Loop delay
          </th>
          <th scope="col" className="pl-3 max-sm:pl-1.5">
            Restarts
          </th>
        </tr>
      </thead>
      <tbody>
        {inOrder(now?.state.roles ?? []).map((each) => (
          <tr key={each.role} className="border-t border-line">
            <th scope="row" className="py-1.5 text-left font-normal">
              {each.role}
            </th>
            {each.is_idle ? (
              <td colSpan={3} className="text-muted">
                idle: starts when it is needed
              </td>
            ) : (
              <>
                <td>{cpuOf(each.role)}</td>
                <td>{bytes(each.resident_bytes)}</td>
                <td className={classes(each.loop_delay_ms > SLOW_LOOP_MS && 'text-fail')}>
                  {number(each.loop_delay_ms)} ms
                </td>
              </>
            )}
            <td className={classes(each.restarts > 0 && 'text-warn')}>{number(each.restarts)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
