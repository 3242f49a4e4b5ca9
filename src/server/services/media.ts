/** Connects recorder, media jobs, uploads and ffprobe samples to the core. */

import { FileAccess } from '../../api/access/file-access.js';
import { Stills } from '../../broadcasts/stills.js';
import { publicUrls, servesOthers } from '../../config/public-urls.js';
import type { Config } from '../../config/settings/schema.js';
import { type SoundComparer, SoundTaps } from '../../detection/sound-taps.js';
import type { MediaTap, PictureDecoding, StillDecoding } from '../../ports/index.js';
import type { Cage } from '../../probe/cage/cage.js';
import { DeepProbe, type SampleProbe } from '../../probe/deep-probe.js';
import { MediaTools } from '../../probe/media-tools.js';
import { missingTools, type ToolSettings } from '../../probe/tool-paths.js';
import { parseBlobUrl } from '../../store/blobs/open.js';
import { SLOTS } from '../../vod/jobs/limits.js';
import type { CoreBase, CoreHooks } from './core.js';
import { openVod, type Vod } from './vod.js';

export interface MediaServices {
  readonly vod: Vod;
  /** Absent if another process parses untrusted media. */
  readonly tools: MediaTools | undefined;
  readonly deepProbe: DeepProbe;
  /** In a process that receives streams. */
  readonly sounds: SoundTaps | undefined;
  /** In a process that receives streams. */
  readonly stills: Stills | undefined;
  readonly hooks: CoreHooks;
  close(): Promise<void>;
}

export interface MediaOptions {
  /** The process that parses untrusted media and runs the jobs. Absent: this process. */
  readonly elsewhere?: (SampleProbe & PictureDecoding & StillDecoding) | undefined;
  /** Compares sound in the process that opens media. Absent: this process does, if it receives streams. */
  readonly soundsElsewhere?: SoundComparer | undefined;
  readonly receivesStreams: boolean;
  /** Required where this process parses untrusted media. */
  readonly cage?: Cage | undefined;
  readonly signal: AbortSignal;
}

export async function openMediaServices(base: CoreBase, options: MediaOptions): Promise<MediaServices> {
  const { config, log, clock, ids, store, journal, quota, serverKey, previousKey, holder } = base;
  const { signal } = options;
  let tools: MediaTools | undefined;
  let probe: SampleProbe | undefined = options.elsewhere;
  if (probe === undefined) {
    if (options.cage === undefined) throw new Error('media tools need a sandbox');
    tools = await openTools(base, options.cage, signal);
    probe = tools;
  }
  signal.throwIfAborted();
  const access = new FileAccess({ store, clock, config: { publicHttpUrl: publicUrls(config, config).httpUrl } });
  const vod = await openVod({
    dataDir: config.dataDir,
    s3: config.blobUrl === undefined ? undefined : parseBlobUrl(config.blobUrl),
    record: config.record,
    enforce: config.enforce,
    diskReserve: config.diskReserve,
    retentionDays: config.recordingRetentionDays,
    store,
    clock,
    ids,
    log,
    holder,
    quota,
    media: tools,
    prints: tools?.prints,
    uploadRefusal: () => missingTools(toolSettings(config)),
    serverKey,
    previousKey,
    errors: journal,
    processingStarted: (id) => base.engine().processing(id, 'processing-started'),
    processingDone: (id) => base.engine().processing(id, 'processing-done'),
    tokens: access,
    fetch: { networks: config.fetchNetworks },
  });
  const deepProbe = new DeepProbe({ probe, volatile: store.volatile, clock, log });
  const comparer = options.soundsElsewhere ?? vod.detector;
  const pictures = options.elsewhere ?? tools?.decoder;
  const sounds =
    options.receivesStreams && comparer
      ? new SoundTaps({ store, log, comparer, pictures, blocks: config.copyrightBlock })
      : undefined;
  const close = async (): Promise<void> => {
    sounds?.close();
    access.close();
    await vod.close();
    tools?.close();
  };
  const taps = [vod, deepProbe, ...(sounds === undefined ? [] : [sounds])];
  const stills = options.receivesStreams && pictures ? openStills(base, pictures) : undefined;
  const hooks: CoreHooks = { taps, pictures, onEnded: (live) => vod.onEnded(live) };
  return { vod, tools, deepProbe, sounds, stills, hooks, close };
}

function openStills({ engine }: CoreBase, decoder: StillDecoding): Stills {
  const streams = {
    attach: (id: string, tap: MediaTap) => engine().publications.attach(id, tap),
    detach: (id: string, tap: MediaTap) => engine().publications.detach(id, tap),
  };
  return new Stills({ streams, decoder });
}

function openTools({ config, log }: CoreBase, cage: Cage, signal: AbortSignal): Promise<MediaTools> {
  return MediaTools.open({ ...toolSettings(config), cage, log, parallel: SLOTS, signal });
}

export function toolSettings(config: Config): ToolSettings {
  const { ffmpegPath, ffprobePath } = config;
  return { ffmpegPath, ffprobePath, servesOthers: servesOthers(config) };
}
