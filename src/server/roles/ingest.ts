/** The ingest role: receives streams, checks them against the rules, journals records and records video. */

import { DRAINED, REPLACED } from '../../broadcasts/publisher/close-reasons.js';
import { type CertificateChange as Pair, watchCertificate } from '../../config/certificates/certificate-watch.js';
import type { Config } from '../../config/settings/schema.js';
import type { UnsavedSamples } from '../../dashboard/history/distributed-history.js';
import type { RtmpServerOptions } from '../../ingest/rtmp/server.js';
import { answerQuestions } from '../cluster/ask-workers.js';
import type { RoleLink } from '../cluster/link.js';
import { answerTakes } from '../cluster/take-still.js';
import { answerStoredQueries } from '../cluster/worker-records.js';
import type { Core } from '../services/core.js';
import { answerCounts } from './counts.js';
import type { Certificate, Running, Starting } from './running.js';

/** A GET of errors waits at most this long for records that were already sent to the encoder. */
export const RECORDS_STORED_MS = 1_000;

/** The query is the ID of a live video. */
export const HISTORY_SUBJECT = 'history';

/** An ingest process: connections come from the supervisor, which holds the ports. */
export async function startIngest(starting: Starting, link: RoleLink, running: Running, certificate: Certificate) {
  const { core } = running;
  await core.engine.run();
  const take = core.ingest.take(rtmpOptions(starting.config, certificate.pair));
  link.onConnection('rtmps', take.secure);
  link.onConnection('rtmp', take.plain);
  link.onDrain((reason) => {
    const withinS = starting.config.drainS;
    starting.log.info({ connections: core.ingest.connections, withinS, reason }, 'draining');
    const close = reason === 'replaced' ? REPLACED : DRAINED;
    void core.ingest.drain({ atMs: core.clock.monotonicMs() + withinS * 1_000, close }).then(() => link.drained());
  });
  watchPair(starting, certificate, (next) => core.ingest.replaceCertificate(pemTexts(next)));
  answerCounts(link, starting.log, running);
  const { stills } = running.media;
  if (stills !== undefined) answerTakes(link, (id) => stills.take(id));
  answerStoredQueries(link, core.journal, RECORDS_STORED_MS);
  answerQuestions<string, UnsavedSamples | null>(link, HISTORY_SUBJECT, (id) => running.history.unsaved(id));
}

/** For a server with one process, which listens itself. Resolves with the ports in use. */
export async function listenForStreams({ config }: Starting, { engine, ingest }: Core, { pair }: Certificate) {
  await engine.run();
  return ingest.listen(rtmpOptions(config, pair));
}

export function watchPair({ log, closers }: Starting, { paths, pair }: Certificate, use: (next: Pair) => void): void {
  const watch = watchCertificate(paths, pair, use, (error) =>
    log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  closers.add('certificate watch', () => watch.close());
}

export const pemTexts = ({ cert, key }: Pair) => ({ cert: cert.toString(), key: key.toString() });

function rtmpOptions(config: Config, pair: Pair): RtmpServerOptions {
  return {
    host: config.host,
    rtmpsPort: config.rtmpsPort,
    rtmpPort: config.rtmpPort,
    tls: { ...pemTexts(pair), maxVersion: config.tlsMax === '1.3' ? 'TLSv1.3' : 'TLSv1.2', suites: config.tlsSuites },
  };
}
