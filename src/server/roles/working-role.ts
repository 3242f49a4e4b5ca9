/** The roles that process untrusted input: ingest, web and media. Each reads the store and writes through its process. */
import { ensureCertificate, readPair } from '../../config/certificates/certificates.js';
import type { RoleLink } from '../cluster/link.js';
import { answerClips } from '../cluster/media-clips.js';
import { answerImages } from '../cluster/media-images.js';
import { answerSamples } from '../cluster/media-samples.js';
import { answerSounds } from '../cluster/media-sounds.js';
import { samplesFolder } from '../cluster/sample-files.js';
import { answerCounts } from './counts.js';
import { startIngest } from './ingest.js';
import { openRunning, type Running, type Starting } from './running.js';

/** Resolves with the ID with which the process holds leases. */
export async function startWorkingRole(starting: Starting, link: RoleLink): Promise<string> {
  const ports = await link.ports();
  const paths = await ensureCertificate(starting.config);
  const certificate = { paths, pair: readPair(paths) };
  const running = await openRunning(starting);
  const { core } = running;
  core.usePorts(ports);
  if (link.role === 'ingest') await startIngest(starting, link, running, certificate);
  else if (link.role === 'media') await startMedia(starting, link, running);
  else {
    const { openAcme, openHttp, startWeb } = await import('./web-process.js');
    const http = openHttp(starting, running, certificate);
    link.onConnection('http', http.takeOver());
    openAcme(starting, running, link);
    await startWeb(starting, running, { http, ports, certificate, holders: () => holdersOf(link) });
  }
  return core.holder;
}

/** The media process: opening its services starts the jobs. */
async function startMedia({ config, log }: Starting, link: RoleLink, running: Running): Promise<void> {
  const { tools, vod } = running.media;
  if (tools !== undefined) {
    const folder = samplesFolder(config.dataDir);
    await answerSamples(link, folder, tools, log);
    answerImages(link, folder, tools.decoder);
    if (vod.detector !== undefined) answerSounds(link, folder, vod.detector);
    const { clips } = vod;
    if (clips !== undefined) answerClips(link, folder, (id, piece) => clips.clip(id, piece));
  }
  answerCounts(link, log, running);
}

function holdersOf(link: RoleLink): string[] {
  return link.peers('ingest').flatMap(({ holder }) => (holder === undefined ? [] : [holder]));
}
