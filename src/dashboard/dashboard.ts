/** Dashboard, dock page, API reference, the check of files, their data and the live feed, as one unit for the composition root. */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusalText } from '../lib/http-refusals.js';
import { houseSpec } from '../spec/house.js';
import { createData, type DataDeps, type Links } from './data.js';
import { createFeed, type FeedDeps } from './feed/feed.js';
import { createHelp, HELP_PATH, type HelpOptions } from './help.js';
import type { HealthHistory } from './history/history.js';
import type { MatchReview } from './matches.js';
import { createPages, ICON_PATH, pathOf } from './pages.js';
import { createReports, type ReportPage, type ReportsDeps } from './reports.js';
import { createSessions, type SessionsDeps } from './sessions.js';
import type { FreshStills } from './stills.js';
import { FEED_PATH, SESSION_API_PATH, SESSION_FEED_PATH, SESSION_PATH } from './view/protocol.js';

export interface DashboardDeps extends FeedDeps, SessionsDeps {
  readonly links: Links;
  readonly matches: MatchReview;
  readonly serverState: DataDeps['serverState'];
  readonly serverHistory: DataDeps['serverHistory'];
  readonly reports: ReportPage;
  readonly opensReport: ReportsDeps['opensReport'];
  readonly history: Pick<HealthHistory, 'read'>;
  readonly stills: Pick<FreshStills, 'read'>;
  /** Vite's output: `dist/dashboard/web`. */
  readonly root: string;
  readonly help: HelpOptions;
}

export interface Dashboard {
  /** The order matters: `/dashboard/data` is below `/dashboard`. */
  readonly mounts: readonly {
    readonly path: string;
    readonly handler: RequestListener;
    readonly counts?: 'call' | 'page';
  }[];
  /** Handles the `upgrade` event of the HTTP server. False: not the feed's path; the socket is untouched. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
  /** Open sockets of the live feed. */
  readonly sockets: number;
  close(): Promise<void>;
}

export function createDashboard(deps: DashboardDeps): Dashboard {
  const feed = createFeed(deps);
  const pages = createPages({ root: deps.root, house: houseSpec() });
  const data = createData(deps);
  const sessions = createSessions(deps);
  return {
    mounts: [
      { path: '/dashboard/data', handler: data, counts: 'call' },
      // Requests that it passes on are counted as calls there.
      { path: SESSION_API_PATH, handler: sessions.api, counts: 'page' },
      { path: SESSION_PATH, handler: sessions.session, counts: 'call' },
      { path: '/dashboard', handler: pages },
      { path: '/dock', handler: pages },
      { path: '/report', handler: createReports(deps), counts: 'call' },
      { path: '/docs', handler: pages },
      { path: '/check', handler: pages },
      { path: HELP_PATH, handler: createHelp(deps.help) },
      { path: ICON_PATH, handler: pages },
    ],
    upgrade(request, socket, head) {
      const path = pathOf(request);
      if (path === FEED_PATH) feed.handleUpgrade(request, socket, head);
      else if (path === SESSION_FEED_PATH) {
        const bySession = sessions.authenticatorOf(request);
        if (bySession === undefined) socket.once('error', () => socket.destroy()).end(refusalText(403));
        else feed.handleUpgrade(request, socket, head, bySession);
      } else return false;
      return true;
    },
    get sockets() {
      return feed.sockets;
    },
    close: () => feed.close(),
  };
}
