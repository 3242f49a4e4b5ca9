/** Dashboard, dock page, API reference, the check of files, their data and the paths of the live feed, for the composition root. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { refusalText } from '../lib/http-refusals.js';
import { houseSpec } from '../spec/house.js';
import { createData, type DataDeps } from './data.js';
import type { LiveFeed } from './feed/feed.js';
import { createHelp, HELP_PATH, type HelpOptions } from './help.js';
import { createPages, ICON_PATH, pathOf } from './pages.js';
import { createReports, type ReportsDeps } from './reports.js';
import { createSessions, type MountedListener, type SessionsDeps } from './sessions.js';
import { FEED_PATH, SESSION_API_PATH, SESSION_FEED_PATH, SESSION_PATH } from './view/protocol.js';

export interface DashboardDeps extends DataDeps, ReportsDeps, SessionsDeps {
  readonly feed: Pick<LiveFeed, 'handleUpgrade'>;
  /** Vite's output: `dist/dashboard/web`. */
  readonly root: string;
  readonly help: HelpOptions;
}

export interface Dashboard {
  /** The order matters: `/dashboard/data` is below `/dashboard`. */
  readonly mounts: readonly {
    readonly path: string;
    readonly handler: MountedListener;
    readonly counts?: 'call' | 'page';
  }[];
  /** Handles the `upgrade` event of the HTTP server. False: not the feed's path; the socket is untouched. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): boolean;
}

export function createDashboard(deps: DashboardDeps): Dashboard {
  const { feed } = deps;
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
  };
}
