/** The ingest process: receives streams, judges them, journals what they break, records them. */
import { BroadcastEngine } from '../../broadcasts/broadcast-engine.js';
import { DRAINED, REPLACED } from '../../broadcasts/publisher/close-reasons.js';
import { Stills } from '../../broadcasts/stills.js';
import { PayloadBuffers } from '../../bytes/payload-buffers.js';
import type { CertificateChange as Pair } from '../../config/certificates/certificate-watch.js';
import { ensureCertificate, readPair } from '../../config/certificates/certificates.js';
import type { Config } from '../../config/settings/schema.js';
import type { UnsavedSamples } from '../../dashboard/history/distributed-history.js';
import { HealthHistory } from '../../dashboard/history/history.js';
import { SoundTaps } from '../../detection/sound-taps.js';
import type { RtmpSettings } from '../../ingest/rtmp/deps.js';
import { isLoopback, RtmpServer } from '../../ingest/rtmp/server.js';
import type { FromRelayHost, ToRelayHost } from '../../playback/context/relay-messages.js';
import { BegunStreams, RelayHost } from '../../playback/relay/relay-host.js';
import { DeepProbe } from '../../probe/deep-probe.js';
import { PendingMark } from '../../store/journal/pending-mark.js';
import { answerQuestions } from '../cluster/ask-workers.js';
import { MediaImages } from '../cluster/media-images.js';
import { MediaSamples, SAMPLES_SUBJECT } from '../cluster/media-samples.js';
import { MediaSounds, SOUNDS_SUBJECT, WITNESS_SUBJECT } from '../cluster/media-sounds.js';
import { samplesFolder } from '../cluster/sample-files.js';
import { answerTakes } from '../cluster/take-still.js';
import { answerStoredQueries } from '../cluster/worker-records.js';
import { channelToWeb, workerChannel } from '../cluster/workers.js';
import { answerMetrics, read } from '../metrics/process-metrics.js';
import { INGEST_METRICS, JOURNAL_METRICS } from '../metrics/rows.js';
import { openRecorder } from '../services/live-recordings.js';
import { broadcastDeps, openJournal, openShared, Pauses } from '../services/shared.js';
import { RecordingJobs, storageOf } from '../services/storage.js';
import { randomBytes, systemClock } from '../system/system.js';
import { HISTORY_SUBJECT, RECORDS_STORED_MS } from './limits.js';
import { followCertificate, type RoleProcess } from './process.js';

/** Each connection whose payload is kept fills one. Buffers of 64 KB took 8 MB more with 150 recordings, and no less CPU. */
const OWN_BUFFER_BYTES = 32 * 1024;

/** Resolves with the ID with which the process holds leases. Closing runs the list backwards. */
export async function openIngest(process: RoleProcess): Promise<string> {
  const { config, log, closers, signal, link, isTraced } = process;
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

  const { samples, images, comparer } = mediaProcess(process);
  const probe = new DeepProbe({ probe: samples, volatile: store.volatile, clock, log });
  const sounds = new SoundTaps({ store, log, comparer, pictures: images, blocks: config.copyrightBlock });
  closers.add('sounds', () => sounds.close());
  const viewers = channelToWeb<ToRelayHost, FromRelayHost>(link, 'playback');

  // Opened before the streams and so closed after them, to save the values of the last packets.
  const history = new HealthHistory({ store, clock, log });
  closers.add('history', () => history.close());

  const pauses = new Pauses();
  const buffers = new PayloadBuffers(() => new Uint8Array(OWN_BUFFER_BYTES));
  const engine = new BroadcastEngine({
    ...broadcastDeps(shared, {
      errors: journal,
      recordings: new RecordingJobs(storage.jobs, config.record, log),
      pauses,
    }),
    taps: [...(config.record ? [recordings.recorder] : []), probe, sounds, new BegunStreams(viewers.send)],
    pictures: images,
    buffers,
  });
  const settings = rtmpSettings(config);
  const rtmp = new RtmpServer(engine, { clock, ids, log, refusals, strangers, buffers, randomBytes, settings });
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

  const relays = new RelayHost({ streams: engine.publications, log, send: viewers.send });
  viewers.receive((message) => relays.take(message));
  const stills = new Stills({ streams: engine.publications, decoder: images });
  answerTakes(link, (id) => stills.take(id));
  answerStoredQueries(link, journal, RECORDS_STORED_MS);
  answerQuestions<string, UnsavedSamples | null>(link, HISTORY_SUBJECT, (id) => history.unsaved(id));
  const { recorder } = recordings;
  answerMetrics(link, log, () => ({
    ...read(JOURNAL_METRICS, { journal }),
    ...read(INGEST_METRICS, { rtmp, engine, recorder, probe, sounds }),
  }));
  return holder;
}

/** The media process opens what streams contain. */
function mediaProcess({ config, link }: RoleProcess) {
  const folder = samplesFolder(config.dataDir);
  const samples = new MediaSamples(folder, workerChannel(link, SAMPLES_SUBJECT, ['media']));
  const images = new MediaImages(folder, {
    picture: workerChannel(link, 'picture', ['media']),
    still: workerChannel(link, 'still', ['media']),
  });
  const comparer = new MediaSounds(
    folder,
    workerChannel(link, SOUNDS_SUBJECT, ['media']),
    workerChannel(link, WITNESS_SUBJECT, ['media']),
  );
  return { samples, images, comparer };
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
