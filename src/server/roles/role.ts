/** The process of one role: composed of the services that it needs, and closed at the supervisor's request. */
import { receivedSettings } from '../../config/sent-settings.js';
import { RoleLink } from '../cluster/link.js';
import type { Role } from '../supervisor/messages.js';
import { Closers } from '../system/closers.js';
import { createLog } from '../system/log.js';
import type { Starting } from './running.js';
import { answerUsage } from './usage.js';

/** After a failed start, open services have this long to close. */
const UNWIND_MS = 1_500;

/** Exit code after a failed start, as for the command line. */
const START_FAILED = 3;
/** After everything is closed, a handle that keeps the process alive is a bug. */
const LINGER_MS = 1_000;

/** Runs until the supervisor requests the shutdown. Resolves with the exit code. */
export async function runRole(role: Role): Promise<0 | 3> {
  process.title = `airlock-${role}`;
  // Signals of a terminal or a service manager are handled by the supervisor, which ends the roles in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const link = new RoleLink(role);
  // While the other processes start.
  const [settings, startRole] = await Promise.all([link.settings(), loadRole(role, link)]);
  if (settings === undefined) {
    link.leave();
    return 0;
  }
  const config = receivedSettings(settings);
  const log = createLog({ level: config.logLevel, format: config.logFormat, base: { role } });
  log.debug({ flags: process.execArgv }, 'role process starts');
  const closers = new Closers(log);
  const abort = new AbortController();
  void link.stopped.then(() => abort.abort());
  // The other roles answer with what they count beside it.
  if (role === 'store') answerUsage(link);
  try {
    await link.requireProtocol();
    link.ready(await startRole({ config, log, closers, signal: abort.signal, link }, link));
  } catch (error) {
    await closers.closeWithin(UNWIND_MS);
    if (!abort.signal.aborted) {
      await link.failed(error);
      await log.flush();
      process.exit(START_FAILED);
    }
  }
  await link.stopped;
  await closers.close();
  await log.flush();
  setTimeout(() => {
    log.error({ role, resources: process.getActiveResourcesInfo() }, 'the process is ended: parts of it do not end');
    void log.flush().then(() => process.exit(1));
  }, LINGER_MS).unref();
  link.leave();
  return 0;
}

/** Resolves with the ID with which the process holds leases; undefined for the store. */
type StartRole = (starting: Starting, link: RoleLink) => Promise<string | undefined>;

async function loadRole(role: Role, link: RoleLink): Promise<StartRole> {
  const start = await roleStart(role);
  link.loaded();
  return start;
}

/** Loads the modules of the role, and of no other. */
async function roleStart(role: Role): Promise<StartRole> {
  if (role === 'store') return (await import('./store-role.js')).startStoreRole;
  if (role === 'web') await import('./web-process.js');
  return (await import('./working-role.js')).startWorkingRole;
}
