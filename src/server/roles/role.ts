/** The process of one role: composed of the services that it needs, and closed at the supervisor's request. */
import type { Config } from '../../config/schema.js';
import { RoleLink } from '../cluster/link.js';
import type { Role } from '../supervisor/messages.js';
import { Closers } from '../system/closers.js';
import { createLog } from '../system/log.js';
import { systemClock } from '../system/system.js';
import type { Starting } from './running.js';
import { answerUsage } from './usage.js';

/** After a failed start, open services have this long to close. */
const UNWIND_MS = 1_500;

/** Exit code after a failed start, as for the command line. */
const START_FAILED = 3;
/** After everything is closed, a handle that keeps the process alive is a bug. */
const LINGER_MS = 1_000;

/** Runs until the supervisor requests the shutdown. Resolves with the exit code. */
export async function runRole(role: Role, config: Config): Promise<0 | 3> {
  process.title = `airlock-${role}`;
  // Signals of a terminal or a service manager are handled by the supervisor, which ends the roles in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const log = createLog({ level: config.logLevel, base: { role } });
  log.debug({ flags: process.execArgv }, 'role process starts');
  const link = new RoleLink(role);
  const closers = new Closers(log);
  const abort = new AbortController();
  void link.stopped.then(() => abort.abort());
  // The other roles answer with what they count beside it.
  if (role === 'store') answerUsage(link);
  try {
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

/** Resolves with the ID with which the process holds leases; undefined for the store. A role loads only the modules it needs. */
async function startRole(starting: Starting, link: RoleLink): Promise<string | undefined> {
  const { config, log, closers } = starting;
  if (link.role !== 'store') {
    const { startWorkingRole } = await import('./working-role.js');
    return startWorkingRole(starting, link);
  }
  const { serveEmbeddedStore } = await import('../../store/open.js');
  const server = await serveEmbeddedStore({ dataDir: config.dataDir, log, clock: systemClock });
  closers.add('store', () => server.close());
  return undefined;
}
