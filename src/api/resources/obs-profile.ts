/** `GET /{live-video-id}/obs_profile`: an OBS profile as a zip, or the same with lines for other encoders as JSON. It contains the stream key. */
import { strToU8, zipSync } from 'fflate';
import { z } from 'zod';
import { ffmpegLine, gstreamerLine, larixLink } from '../../golive/command-lines.js';
import { type ProfileFile, profileFiles, settingsOf } from '../../golive/obs-profile.js';
import { GO_LIVE_PATH, PROFILE_NAMES, profileNamed } from '../../golive/profile-choice.js';
import type { InputNumber, LiveVideoData } from '../../lifecycle/documents.js';
import { type Broadcasts, inputStreamOf, type StoredObject } from '../../ports/index.js';
import { parameterError } from '../../spec/service-errors.js';
import { operation } from '../graph/registry.js';
import { int, oneOf, text } from '../params/kinds.js';
import { wishesOf } from './shared/encoder-wishes.js';

const obsProfileParams = z.object({
  type: oneOf(['zip', 'json']).optional(),
  profile: text({ max: 20 }).optional(),
  video_bitrate: int({ min: 1, max: 100_000 }).optional(),
  input: oneOf(['0', '1']).optional(),
});

export interface ObsProfileOptions {
  readonly profile?: string | undefined;
  readonly videoKbps?: number | undefined;
  /** Absent: the primary one. */
  readonly input?: InputNumber | undefined;
}

const DEFAULT_PROFILE = '720p30';

/** Files and lines for a live video. @throws ServiceError 100 for an unknown profile or input stream */
export function obsProfile(
  live: StoredObject<LiveVideoData>,
  { broadcasts, publicHttpUrl }: { readonly broadcasts: Pick<Broadcasts, 'urls'>; readonly publicHttpUrl: string },
  asked: ObsProfileOptions,
) {
  if (live.data.crosspostOf !== undefined) throw parameterError('A cross-posted copy has no stream of its own');
  const wished = wishesOf(live.data);
  const name = asked.profile ?? wished.profile ?? DEFAULT_PROFILE;
  const videoKbps = asked.videoKbps ?? wished.videoKbps;
  const profile = profileNamed(name);
  if (profile === undefined) throw parameterError(`Param profile must be one of ${PROFILE_NAMES.join(', ')}`);
  const { input = '0' } = asked;
  if (input === '1' && inputStreamOf(live.data, input) === undefined)
    throw parameterError('The live video has no backup input stream');
  const { base, key, secureStreamUrl } = broadcasts.urls(live, input);
  const settings = settingsOf(profile, videoKbps);
  const liveVideoId = input === '0' ? live.id : `${live.id}-backup`;
  const target = { liveVideoId, streamUrlBase: base, key, goLiveUrl: `${publicHttpUrl}${GO_LIVE_PATH}` };
  return {
    name: `Airlock-${liveVideoId}`,
    files: profileFiles(target, settings),
    lines: {
      ffmpeg: ffmpegLine(settings, secureStreamUrl),
      gstreamer: gstreamerLine(settings, secureStreamUrl),
      larix: larixLink(settings, secureStreamUrl, live.data.title ?? 'Airlock'),
    },
  };
}

export const readObsProfile = operation<LiveVideoData, typeof obsProfileParams>(
  obsProfileParams,
  async (call, live, { type = 'zip', profile, video_bitrate: videoKbps, input }) => {
    const { broadcasts, config } = call.services;
    const body = obsProfile(live, { broadcasts, publicHttpUrl: config.publicHttpUrl }, { profile, videoKbps, input });
    if (type === 'json') return { body };
    return { body, file: { bytes: zipOf(body.files), type: 'application/zip', name: `${body.name}.zip` } };
  },
);

function zipOf(files: readonly ProfileFile[]): Uint8Array {
  return zipSync(Object.fromEntries(files.map((file) => [file.path, strToU8(file.text)])));
}
