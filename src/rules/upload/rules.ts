/** 6701 to 6707: an uploaded file against the published table. Each rule is a function of the file's facts alone. */
import type { FileFacts, FileVideoFacts } from '../../facts/file-facts.js';
import type { Observed } from '../../spec/error-record.js';
import { UPLOAD_SLACK } from '../../spec/tolerances.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../../spec/upload.js';

export interface UploadFinding {
  readonly code: number;
  readonly observed: Observed;
  readonly limit: Observed;
  readonly words?: Readonly<Record<string, string>>;
}

type UploadRule = (facts: FileFacts) => UploadFinding | undefined;

const DEMUXERS: ReadonlySet<string> = new Set(UPLOAD.containers.flatMap((name) => DEMUXERS_OF_CONTAINER[name]));
const CHANNELS: readonly number[] = UPLOAD.audio.channels;
/** FFmpeg's names of AAC, with and without its own transport. */
const AAC_NAMES = ['aac', 'aac_latm'];

const readable: UploadRule = ({ fault, video }) => {
  const reason =
    fault ??
    (video === undefined ? 'it has no video track' : video.width === 0 ? 'its video track has no picture' : undefined);
  return reason === undefined ? undefined : { code: 6707, observed: reason, limit: 'a readable video' };
};

const container: UploadRule = ({ formatNames, docType }) => {
  const isListed = formatNames.some((name) => DEMUXERS.has(name)) && docType !== 'webm';
  if (isListed || formatNames.length === 0) return undefined;
  const observed = docType === 'webm' ? 'WebM' : formatNames.join(', ');
  return { code: 6701, observed, limit: `${UPLOAD.containers.length} listed container formats` };
};

/** Width by height as shown. */
function shown({ width, height, sampleAspect, rotationDegrees }: FileVideoFacts): readonly [number, number] {
  const wide = width * sampleAspect;
  return Math.abs(rotationDegrees) % 180 === 90 ? [height, wide] : [wide, height];
}

const aspectRatio: UploadRule = ({ video }) => {
  if (video === undefined || video.width === 0 || video.height === 0) return undefined;
  const [width, height] = shown(video);
  const aspect = width / height;
  const fits = UPLOAD.aspectRatios.some(
    (row) => Math.abs(aspect / (row.width / row.height) - 1) <= UPLOAD_SLACK.aspect.value,
  );
  if (fits) return undefined;
  const names = UPLOAD.aspectRatios.map(({ name }) => name).join(' or ');
  return {
    code: 6702,
    observed: aspect,
    limit: names,
    words: { size: `${Math.round(width)}x${Math.round(height)}` },
  };
};

const audioCodec: UploadRule = ({ audio }) =>
  audio === undefined || AAC_NAMES.includes(audio.codec)
    ? undefined
    : { code: 6703, observed: audio.codec, limit: UPLOAD.audio.codec };

const audioSampleRate: UploadRule = ({ audio }) =>
  audio === undefined || audio.sampleRate === UPLOAD.audio.sampleRateHz
    ? undefined
    : { code: 6704, observed: audio.sampleRate, limit: UPLOAD.audio.sampleRateHz };

const audioChannels: UploadRule = ({ audio }) =>
  audio === undefined || CHANNELS.includes(audio.channels)
    ? undefined
    : { code: 6705, observed: audio.channels, limit: Math.max(...CHANNELS) };

const audioBitRate: UploadRule = ({ audio }) => {
  const { max } = UPLOAD.audio.bitrateKbps;
  const kbps = audio?.bitrateKbps;
  if (kbps === undefined || kbps <= max * UPLOAD_SLACK.audioBitrateFactor.value) return undefined;
  return { code: 6706, observed: kbps, limit: max };
};

const UPLOAD_RULES: readonly UploadRule[] = [
  container,
  aspectRatio,
  audioCodec,
  audioSampleRate,
  audioChannels,
  audioBitRate,
];

/** All that a file breaks, by code. One that cannot be read breaks that and nothing else. */
export function judgeFile(facts: FileFacts): UploadFinding[] {
  if (facts.fault === undefined) {
    const findings = UPLOAD_RULES.flatMap((rule) => rule(facts) ?? []);
    const unreadable = readable(facts);
    return unreadable === undefined ? findings : [...findings, unreadable];
  }
  return [readable(facts) ?? []].flat();
}
