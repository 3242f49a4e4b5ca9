/** The administration's socket file in the data folder, which the commands of this machine talk to. */
import { adminSocketPath } from '../../config/data-folder.js';
import type { PublicUrls } from '../../config/public-urls.js';
import { adminActions } from '../admin/actions.js';
import type { AdminActions } from '../admin/context.js';
import { adminHandler } from '../admin/handler.js';
import { signInActions } from '../admin/sign-in.js';
import type { RoleLink } from '../cluster/link.js';
import { AdminSocketError, HttpListener } from '../http/listener.js';
import type { Starting } from './running.js';
import type { WebAccess } from './web.js';
import type { WebRunning } from './web-running.js';

/** Its clients are users who may do anything here, so a slow one is no attack. */
const ADMIN_CHECK_MS = 60_000;

export async function openAdminSocket(
  { config, log, closers, link }: Starting,
  { core, history }: WebRunning,
  { httpUrl: publicHttpUrl, dashboardUrl, codes, recordsStored }: PublicUrls & WebAccess,
): Promise<void> {
  const { store, clock, ids, quota, engine } = core;
  const admin = new HttpListener(undefined, { checkMs: ADMIN_CHECK_MS, log });
  const actions = {
    ...adminActions({
      store,
      broadcasts: engine.service,
      clock,
      ids,
      quota,
      log,
      publicHttpUrl,
      history,
      recordsStored,
    }),
    ...signInActions({ store, clock, ids, codes, dashboardUrl }),
    ...(link === undefined ? {} : supervisorActions(link)),
  };
  admin.serve(adminHandler(actions, log));
  closers.add('administration', () => admin.close());
  const path = adminSocketPath(config);
  await admin.listenOnFile(path).catch((error: unknown) => {
    throw new AdminSocketError(path, error);
  });
}

/** The supervisor carries them out and answers with its state. */
function supervisorActions(link: RoleLink): AdminActions {
  return {
    'server.state': () => link.order('state'),
    'server.drain': () => link.order('drain'),
    'server.reload': () => link.order('reload'),
  };
}
