/** The forward process: passes broadcasts on to other ingests. It receives nothing but packets that were judged, and the words of targets. */
import { readFileSync } from 'node:fs';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';
import { forwardSocketPath } from '../../config/data-folder.js';
import { deploymentId, loadServerKeys } from '../../config/key-secret.js';
import { Forwards } from '../../forward/process/forwards.js';
import { acceptedKeys } from '../../lib/server-keys.js';
import { unseal } from '../../lib/vault.js';
import { openStore, storeSettings } from '../../store/open.js';
import { FORWARD_METRICS } from '../metrics/forward-rows.js';
import { ownMetrics, read } from '../metrics/process-metrics.js';
import { systemClock } from '../system/system.js';
import type { RoleProcess } from './process.js';

/** It holds no leases. */
export async function openForward({ config, log, closers, link, calls }: RoleProcess): Promise<undefined> {
  const clock = systemClock;
  const { current, previous } = loadServerKeys(config);
  const store = await openStore({ ...storeSettings(config), log, clock, isServed: true });
  closers.add('store', () => store.close());
  const forwards = await Forwards.open({
    store,
    clock,
    log,
    path: forwardSocketPath(config),
    ownId: deploymentId(current),
    random: Math.random,
    reachable: { networks: config.forwardNetworks },
    secureContext: secureContextOf(config.forwardCa),
    unseal: (sealed) => {
      const key = unseal(acceptedKeys(current, previous, clock.wallMs()), 'forward', sealed);
      return typeof key === 'string' ? key : undefined;
    },
    isOwnProcess: (holder) => link.peers('ingest').some((peer) => peer.holder === holder),
    note: (liveVideoId, notice, forward) => calls.tellAll('ingest', 'forwardNotice', liveVideoId, notice, forward),
    idle: () => link.demand('forward', false),
  });
  closers.add('forwards', () => forwards.close());
  const metrics = ownMetrics(link.role, log, () => read(FORWARD_METRICS, { forwards }));
  calls.serve('forward', { metrics });
}

/** The system's authorities and those of the file, made when the first target speaks TLS. @throws Error when the file cannot be read */
function secureContextOf(path: string | undefined): () => SecureContext {
  const ca = path === undefined ? [...rootCertificates] : [...rootCertificates, readFileSync(path, 'utf8')];
  let context: SecureContext | undefined;
  return () => {
    context ??= createSecureContext({ ca, minVersion: 'TLSv1.2' });
    return context;
  };
}
