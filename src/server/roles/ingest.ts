/** The ingest process: receives streams, judges them, journals what they break, records them. */
import { BroadcastEngine } from '../../broadcasts/broadcast-engine.js';
import { PictureTurns } from '../../broadcasts/picture-turns.js';
import { DRAINED, REPLACED } from '../../broadcasts/publisher/close-reasons.js';
import { FirstKeyFrames, Stills } from '../../broadcasts/stills.js';
import { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { CertificateChange as Pair } from '../../config/certificates/certificate-watch.js';
import { ensureCertificate, readPair } from '../../config/certificates/certificates.js';
import { forwardSocketPath } from '../../config/data-folder.js';
import type { Config } from '../../config/settings/schema.js';
import { HealthHistory } from '../../dashboard/history/history.js';
import { SoundTaps } from '../../detection/sound-taps.js';
import { ForwardFeeds } from '../../forward/feed/feeds.js';
import type { RtmpSettings } from '../../ingest/rtmp/connection.js';
import { isLoopback, RtmpServer } from '../../ingest/rtmp/server.js';
import type { FromRelayHost } from '../../playback/context/deps.js';
import { BegunStreams, RelayHost } from '../../playback/relay/relay-host.js';
import { DeepProbe } from '../../probe/deep-probe.js';
import { PendingMark } from '../../store/journal/pending-mark.js';
import { ownMetrics, read } from '../metrics/process-metrics.js';
import { INGEST_METRICS, JOURNAL_METRICS } from '../metrics/rows.js';
import { MediaProcess, samplesFolder } from '../rpc/media.js';
import { storedRecords } from '../rpc/stored-records.js';
import { openRecorder } from '../services/live-recordings.js';
import { broadcastDeps, openJournal, openShared, Pauses, type Shared } from '../services/shared.js';
import { RecordingJobs, storageOf } from '../services/storage.js';
import { randomBytes, systemClock } from '../system/system.js';
import { optimizeSoon } from '../system/v8-flags.js';
import { followCertificate, type RoleProcess } from './process.js';

const RUNTIME = { randomBytes, optimizeSoon };
/** Each connection whose payload is kept fills one. Buffers of 64 KB took 8 MB more with 150 recordings, and no less CPU. */
const OWN_BUFFER_BYTES = 32 * 1024;

/** Resolves with the ID with which the process holds leases. Closing runs the list backwards. */
export async function openIngest(process: RoleProcess): Promise<string> {
  const { config, log, closers, signal, link, calls, isTraced } = process;
  const ports = await link.ports();
  const paths = await ensureCertificate(config);
  const pair = readPair(paths);
  const shared = await openShared({ config, log, closers }, { ports, isStoreServed: true, isTraced });
  const { store, clock, ids, refusals, strangers, holder } = shared;
  const journal = await openJournal(shared, closers, await PendingMark.open(config.dataDir, holder));
  signal.throwIfAborted();

  const storage = await storageOf(shared, closers);
  const recordings = await openRecorder(storage, shared);
  closers.add('recorder', () => recordings.close());

  // It opens what streams contain.
  const media = new MediaProcess(calls, samplesFolder(config.dataDir));
  const probe = new DeepProbe({ probe: media, volatile: store.volatile, clock, log });
  const sounds = new SoundTaps({ store, log, comparer: media, pictures: media, blocks: config.copyrightBlock });
  closers.add('sounds', () => sounds.close());
  const toViewers = (message: FromRelayHost) => calls.tellAll('web', 'relay', message);

  // Opened before the streams and so closed after them, to save the values of the last packets.
  const history = new HealthHistory({ store, clock, log });
  closers.add('history', () => history.close());

  const firsts = new FirstKeyFrames();
  const taps = [probe, sounds, firsts, new BegunStreams(toViewers), ...openFeeds(process, shared)];
  const pauses = new Pauses();
  const buffers = new PayloadBuffers(() => new Uint8Array(OWN_BUFFER_BYTES));
  const engine = new BroadcastEngine({
    ...broadcastDeps(shared, {
      errors: journal,
      recordings: new RecordingJobs(storage.jobs, config.record, log),
      pauses,
    }),
    taps: config.record ? [recordings.recorder, ...taps] : taps,
    pictures: media,
    pictureTurns: new PictureTurns(() => clock.monotonicMs()),
    buffers,
  });
  const settings = rtmpSettings(config);
  const rtmp = new RtmpServer(engine, { clock, ids, log, refusals, strangers, buffers, settings, ...RUNTIME });
  closers.add('streams', async () => {
    pauses.end();
    const disconnect = rtmp.stop();
    await engine.close();
    await disconnect();
  });
  history.start(() => runningStreams(engine));
  await engine.run();

  takeStreams(process, rtmp, pair);
  followCertificate(process, paths, pair, (next) => rtmp.replaceCertificate(pemTexts(next)));

  const relays = new RelayHost({ streams: engine.publications, log, send: toViewers });
  const stills = new Stills({ streams: engine.publications, decoder: media, firsts });
  const { recorder } = recordings;
  calls.serve('ingest', {
    still: async (id) => Buffer.from((await stills.take(id)) ?? []).toString('base64') || null,
    storedRecords: (ids) => storedRecords(journal, ids),
    unsavedSamples: (id) => history.unsaved(id),
    relay: (message) => relays.take(message),
    forwardNotice: (id, notice, forward) => engine.publications.noteForward(id, notice, forward),
    metrics: ownMetrics(link.role, log, () => ({
      ...read(JOURNAL_METRICS, { journal }),
      ...read(INGEST_METRICS, { rtmp, engine, recorder, probe, sounds }),
    })),
  });
  return holder;
}

/** Passes broadcasts on to the forward process, which runs while there is one. */
function openFeeds(
  { config, log, closers, link }: RoleProcess,
  { store, holder }: Pick<Shared, 'store' | 'holder'>,
): readonly ForwardFeeds[] {
  if (!config.forwards) return [];
  const path = forwardSocketPath(config);
  const feeds = new ForwardFeeds({ store, log, path, holder, demand: () => link.demand('forward', true) });
  closers.add('feeds of forwards', () => feeds.close());
  return [feeds];
}

/** From the supervisor, until it drains this process. */
function takeStreams({ config, log, link }: RoleProcess, rtmp: RtmpServer, pair: Pair): void {
  const take = rtmp.take(tlsOptions(config, pair));
  link.onConnection('rtmps', take.secure);
  link.onConnection('rtmp', take.plain);
  link.onDrain((reason) => {
    const withinS = config.drainS;
    log.info({ connections: rtmp.connections, withinS, reason }, 'draining');
    const close = reason === 'replaced' ? REPLACED : DRAINED;
    void rtmp.drain({ atMs: systemClock.monotonicMs() + withinS * 1_000, close }).then(() => link.drained());
  });
}

/** The streams that this process is receiving, for the charts. */
function* runningStreams({ publications }: BroadcastEngine) {
  for (const publication of publications.all()) {
    yield { liveVideoId: publication.liveVideoId, health: publication.health() };
  }
}

const pemTexts = ({ cert, key }: Pair) => ({ cert: cert.toString(), key: key.toString() });

function tlsOptions(config: Config, pair: Pair): Parameters<RtmpServer['take']>[0] {
  return { ...pemTexts(pair), maxVersion: config.tlsMax === '1.3' ? 'TLSv1.3' : 'TLSv1.2', suites: config.tlsSuites };
}

function rtmpSettings(config: Config): RtmpSettings {
  return {
    maxConnections: config.maxConnections,
    tlsInFront: config.tlsInFront,
    readIntervalMs: config.readIntervalMs,
    proxyProtocol: config.proxyProtocol,
    isProxy: (address) => config.trustedProxies.includes(address),
    isTrustedAddress: (address) => isLoopback(address) || config.trustedProxies.includes(address),
  };
}
