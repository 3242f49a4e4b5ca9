/** The ingest part: listeners for streams, and what a process that only receives answers to the first one. */
import { type CertificateChange as Pair, watchCertificate } from '../../config/certificate-watch.js';
import type { Config } from '../../config/schema.js';
import type { RtmpServerOptions } from '../../ingest/rtmp/server.js';
import { answerStoredQueries } from '../cluster/worker-records.js';
import { type IngestPorts, tellListening, type Workers } from '../cluster/workers.js';
import type { Core } from '../services/core.js';
import { answerCounts } from './counts.js';
import type { Certificate, Running, Starting } from './running.js';

/** A GET of errors waits at most this long for records that the encoder received a moment ago. */
export const RECORDS_STORED_MS = 1_000;

/** An ingest process among several: it only receives, and tells the first process its ports. */
export async function startIngestWorker(
  starting: Starting,
  running: Running,
  certificate: Certificate,
): Promise<IngestPorts> {
  const { core } = running;
  const ports = await receive(core, starting.config, certificate.pair);
  watchPair(starting, certificate, (next) => core.ingest.replaceCertificate(pemTexts(next)));
  answerCounts(running);
  answerStoredQueries(core.journal, RECORDS_STORED_MS);
  tellListening(ports, core.holder);
  return ports;
}

/** Streams are received by the workers where there are any, else by this process. */
export function listenForStreams(
  { config, signal }: Starting,
  { core }: Running,
  { pair }: Certificate,
  workers: Workers | undefined,
): Promise<IngestPorts> {
  if (workers !== undefined) return workers.start(config.workers, signal);
  return receive(core, config, pair);
}

export function watchPair({ log, closers }: Starting, { paths }: Certificate, use: (next: Pair) => void): void {
  const watch = watchCertificate(paths, use, (error) =>
    log.warn({ error }, 'the changed certificate cannot be used; the one in use stays'),
  );
  closers.add('certificate watch', () => watch.close());
}

export const pemTexts = ({ cert, key }: Pair) => ({ cert: cert.toString(), key: key.toString() });

/** Resolves with the ports in use. */
async function receive({ engine, ingest }: Core, config: Config, pair: Pair): Promise<IngestPorts> {
  await engine.run();
  return ingest.listen(rtmpOptions(config, pair));
}

function rtmpOptions(config: Config, pair: Pair): RtmpServerOptions {
  return {
    host: config.host,
    rtmpsPort: config.rtmpsPort,
    rtmpPort: config.rtmpPort,
    tls: { ...pemTexts(pair), maxVersion: config.tlsMax === '1.3' ? 'TLSv1.3' : 'TLSv1.2' },
  };
}
