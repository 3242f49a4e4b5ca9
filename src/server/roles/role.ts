/** The process of one role: composed of the services that it needs, and closed at the supervisor's request. */
import { receivedSettings } from '../../config/sent-settings.js';
import { installLine, TRACE_PACKAGES, type TraceExport, traceExport } from '../../config/traces.js';
import { traceFields } from '../../lib/spans.js';
import type { Log } from '../../ports/index.js';
import { Calls } from '../rpc/calls.js';
import { RoleLink } from '../rpc/link.js';
import type { Role } from '../supervisor/messages.js';
import { Closers } from '../system/closers.js';
import { idleHeap } from '../system/idle-heap.js';
import { createLog, logPrinted } from '../system/log.js';
import type { RoleProcess } from './process.js';

/** After a failed start, open services have this long to close. */
const UNWIND_MS = 1_500;

/** Exit code after a failed start, as for the command line. */
const START_FAILED = 3;
/** Exit code after a fault, as that of Node. */
const FAULT = 1;
/** After everything is closed, a handle that keeps the process alive is a bug. */
const LINGER_MS = 1_000;

/** Runs until the supervisor requests the shutdown. Resolves with the exit code. */
export async function runRole(role: Role): Promise<0 | 3> {
  process.title = `airlock-${role}`;
  // Signals of a terminal or a service manager are handled by the supervisor, which ends the roles in order.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const link = new RoleLink(role);
  // While the other processes start.
  const [settings, open] = await Promise.all([link.settings(), loadCode(role, link)]);
  if (settings === undefined) {
    link.leave();
    return 0;
  }
  const config = receivedSettings(settings);
  // The store process runs no publish, job or request.
  const traces = role === 'store' ? undefined : traceExport(process.env);
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    base: { role },
    ...(traces === undefined ? {} : { fields: traceFields }),
  });
  logPrinted(log);
  // The supervisor starts another process. Node itself would print the fault over many lines that are no lines of the log.
  process.once('uncaughtException', (error, origin) => {
    log.error({ error, origin }, 'a fault that nothing handled ends the process');
    void log.flush().then(() => process.exit(FAULT));
  });
  log.debug({ flags: process.execArgv }, 'role process starts');
  const calls = new Calls(link, log);
  const closers = new Closers(log);
  const abort = new AbortController();
  void link.stopped.then(() => abort.abort());
  const heap = idleHeap();
  if (heap !== undefined) link.onPing(() => heap.check());
  try {
    await link.requireProtocol();
    const isTraced = traces !== undefined && (await openTracing(traces, { role, log, closers }));
    link.ready(await open({ config, log, closers, signal: abort.signal, link, calls, isTraced }));
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
    void log.flush().then(() => process.exit(FAULT));
  }, LINGER_MS).unref();
  link.leave();
  return 0;
}

/** Resolves with the ID with which the process holds leases; undefined for the store. */
type OpenRole = (process: RoleProcess) => Promise<string | undefined>;

async function loadCode(role: Role, link: RoleLink): Promise<OpenRole> {
  const open = await loadRole(role);
  link.loaded();
  return open;
}

/** Loads the modules of the role, and of no other. */
export async function loadRole(role: Role): Promise<OpenRole> {
  switch (role) {
    case 'store':
      return (await import('./store.js')).openStoreProcess;
    case 'ingest':
      return (await import('./ingest.js')).openIngest;
    case 'web':
      return (await import('./web.js')).openWeb;
    case 'media':
      return (await import('./media.js')).openMedia;
    case 'forward':
      return (await import('./forward.js')).openForward;
  }
}

/** False where traces cannot be exported. Closed after everything whose spans it sends. */
async function openTracing(
  traces: TraceExport,
  { role, log, closers }: { readonly role: Role; readonly log: Log; readonly closers: Closers },
): Promise<boolean> {
  const flush = traces.problem === undefined ? await startExport(traces.protocol, role, log) : undefined;
  if (flush !== undefined) {
    closers.add('traces', flush);
    return true;
  }
  const missing = `packages are missing; run ${installLine(Object.keys(TRACE_PACKAGES))}`;
  // One line for all processes.
  if (role === 'web') log.warn({}, `no traces are exported: ${traces.problem ?? missing}`);
  return false;
}

/** Loaded only where it is asked for. */
async function startExport(protocol: 'http/protobuf' | 'http/json', role: Role, log: Log) {
  const { startTracing } = await import('../system/tracing.js');
  return startTracing({ protocol, role, log });
}
