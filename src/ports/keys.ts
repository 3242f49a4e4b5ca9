/**
 * All names in the store that are not random ids: lists, counters, unique names, leases, short-lived values and topics of
 * the bus. They are in one file so that no two modules use the same name. All but the values and topics are part of the
 * stored format.
 */
import type { EdgeName, Write } from './objects.js';
import type { IdSource } from './system.js';

/** The lists that an object can own. Members are ids of objects unless noted otherwise. */
export type ListName =
  /** Users with a role in an owner (a Page, group or user). Value: the role. */
  | 'roles'
  /** Owners in which a user has a role. Value: the role. */
  | 'accounts'
  /** Friends of a user, in both directions. */
  | 'friends'
  /** Users that asked this one to be their friend. */
  | 'friend_offers'
  /** Users that may not comment at an owner. */
  | 'blocked'
  /** Videos of an owner that can be watched, those of broadcasts once they air. Score: when each was created. */
  | 'videos'
  /** Videos of an owner in any state. */
  | 'owned_videos'
  | 'live_videos'
  /** Segments of a live video's recording that are not in its Video yet. Score: the start of each. */
  | 'segments'
  | 'tagged_videos'
  /** Deleted live videos and videos of an owner whose error records are kept. Score: the deletion. */
  | 'deleted_videos'
  /** Pages that a Page offered crossposting to, and those that accepted. */
  | 'pairing_offers'
  | 'paired_pages'
  /** Videos whose content a Page monitors. Value: `StoredTerms`. */
  | 'copyright_references'
  /** Ids of matches of a live video or a video, whose values are in the list of the service. */
  | 'copyright_matches'
  /** Leases of the publishers in an owner's publisher slots. */
  | 'publishing'
  /** Unfinished upload sessions of an owner. */
  | 'upload_sessions'
  /** Keys of blobs of an upload session, by offset; value: size. Parts of a health series; value: points. */
  | 'parts'
  /** Locales of a video's captions. */
  | 'captions'
  | 'thumbnails'
  | 'crosspost_copies'
  | 'shared_posts'
  | 'tags'
  | 'polls'
  /** Owners that watched a video. */
  | 'viewers'
  /** Direct replies to a video or a comment; `comments_all` of a video holds those at every depth. */
  | 'comments'
  | 'comments_all'
  | 'likes'
  /** Owners that voted in a poll. Value: the option. */
  | 'votes'
  /** Tokens of a live video's docks. */
  | 'dock_tokens'
  /** Tokens of the links to a live video's report. Score: the expiry. */
  | 'report_tokens'
  /** Tokens of the docks and links to reports of all live videos of an owner, until a day after they were made. */
  | 'dock_links'
  /** Tokens of an owner's links to the wall. Score: the expiry. */
  | 'wall_tokens'
  /** Sessions of the dashboard that an owner's tokens began. Score: the expiry. */
  | 'sessions'
  /** Forwards of a live video, or of all broadcasts of an owner. */
  | 'forwards'
  /** Forwards of an owner and of all its live videos. */
  | 'owned_forwards'
  /** Undelivered transitions of a webhook cursor's broadcast. */
  | 'moves';

export const edgeOf = (owner: string, edge: ListName): EdgeName => ({ owner, edge });

const system = (edge: string): EdgeName => ({ owner: 'system', edge });

/** Lists of the service. */
export const SYSTEM_EDGES = {
  owners: system('owners'),
  tokens: system('tokens'),
  /** The audit log. Value: the line. Score: its time. */
  audit: system('audit'),
  /** Live videos with a deadline: end of the grace time, planned start, expiry. Score: the deadline. */
  deadlines: system('deadlines'),
  /** Live videos whose stream is connected to a process. Score: time of the connect. */
  connected: system('connected'),
  /**
   * Live videos that may have open records of which no judge knows: each that has ended, each that an encoder publishes again, and
   * each whose records reached the store late. Score: when they are looked at.
   */
  closing: system('closing'),
  /** Open jobs. Score: due time. */
  jobs: system('jobs'),
  /** Videos whose content is monitored. Value: `StoredReference`. Score: when it was added. */
  copyrightReferences: system('copyright_references'),
  /** Matches of broadcasts and videos with references. Value: `StoredMatch`. Score: when it was found. */
  copyrightMatches: system('copyright_matches'),
  /** Score: expiry. */
  uploadSessions: system('upload_sessions'),
  /** Videos of recordings with a file. Score: creation of the file, so that a changed retention applies to all of them. */
  keptRecordings: system('kept_recordings'),
  /** Score: expiry. */
  expiringVideos: system('expiring_videos'),
  /** Broadcasts with pending deliveries. Score: time of the oldest one. */
  webhookPending: system('webhook_pending'),
  /** All forwards. Score: the creation. */
  forwards: system('forwards'),
  /** Sessions of the dashboard. Value: the owner. Score: the expiry. */
  sessions: system('sessions'),
  /** Health series. Score: the last write. */
  healthSeries: system('health_series'),
  /** Servers whose state is kept. Score: the last write. */
  serverHistories: system('server_histories'),
} as const;

/**
 * Fences of records. Those of leases count from 1, or from the time in seconds; the others lie far above, and are too many to meet
 * twice in one broadcast.
 */
export const RECORD_FENCES = {
  /** Records of one of two input streams, which two leases count. */
  input: { min: 2 ** 46, max: 2 ** 47 - 1 },
  /** Records that no judge raises: refused publishes, missing parts of a recording. */
  unjudged: { min: 2 ** 47, max: 2 ** 48 - 1 },
} as const;

type Fences = (typeof RECORD_FENCES)[keyof typeof RECORD_FENCES];

export const newFence = ({ min, max }: Fences, ids: IdSource): number =>
  min + Number(BigInt(ids.next()) % BigInt(max - min + 1));

/**
 * Whether the publish of one fence of an input stream began before that of another, at most two hours ago: ids are ordered by time, and
 * what is left of them in a fence begins anew every 4.6 hours.
 */
export function isOlderInput(fence: number, than: number): boolean {
  const { min, max } = RECORD_FENCES.input;
  const range = max - min + 1;
  const distance = (than - fence + range) % range;
  return distance > 0 && distance < range / 2;
}

export const fenceOf = (recordId: string): number => Number(recordId.split('_', 2)[1]);

/** A judge raised it, and clears it at the end of the broadcast. */
export const isJudged = ({ id }: { readonly id: string }): boolean => fenceOf(id) < RECORD_FENCES.unjudged.min;

/** By then a process has given up a broadcast that another one receives, and what it judged is in its journal. */
const CLOSING_AFTER_MS = 10_000;

/** Its open records are looked at then. */
export const toBeClosed = (member: string, nowMs: number): Write => ({
  op: 'edgeAdd',
  ...SYSTEM_EDGES.closing,
  member,
  score: nowMs + CLOSING_AFTER_MS,
});

export const COUNTER = {
  /** Counter of an owner. */
  storedBytes: 'stored_bytes',
  /** Counter of a poll option. */
  votes: 'votes',
  /** Counter of a video, like those below. */
  views: 'views',
  viewsLive: 'views_live',
  viewsOf: (seconds: number): string => `views_${seconds}s`,
  watchedMs: 'watched_ms',
  watchedLiveMs: 'watched_live_ms',
  /** Views of this fortieth of the video. */
  retention: (interval: number): string => `retention:${interval}`,
  /** The average audience is the sum over the samples. */
  audienceSum: 'audience_sum',
  audienceSamples: 'audience_samples',
  /** The counter of one day, in addition to the total. */
  ofDay: (counter: string, day: string): string => `${counter}:${day}`,
} as const;

/** Unique names that point at an object. */
export const ALIAS = {
  token: (hash: string): string => `token:${hash}`,
  username: (name: string): string => `username:${name.toLowerCase()}`,
  /** The setting that lists the objects that quickstart created. */
  quickstart: 'quickstart',
} as const;

/** Ids that are not random. */
export const DERIVED_ID = {
  /** Fingerprint of the server key. */
  serverKey: 'server-key',
  /** The ACME account and its certificate, sealed. */
  acme: 'acme',
  /** Marks a deleted live video, so that its id answers LIVE_VIDEO__NOT_EXIST. */
  tombstone: (id: string): string => `gone:${id}`,
  /** Refused publishes of a live video: what its 6102 records count. */
  refusals: (liveVideoId: string): string => `refusals:${liveVideoId}`,
  /** The largest audience of a broadcast. */
  peak: (videoId: string): string => `peak:${videoId}`,
  /** Its version changes with each publisher slot that is taken. */
  publishers: (ownerId: string): string => `publishers:${ownerId}`,
  job: (type: string, subjectId: string): string => `job-${type}-${subjectId}`,
  /** One vote of each owner. */
  vote: (pollId: string, ownerId: string): string => `vote:${pollId}:${ownerId}`,
  /** Observed values of a broadcast over time. */
  series: (liveVideoId: string): string => `series-${liveVideoId}`,
  /** The state of a server over a day. */
  serverHistory: (serverId: string): string => `server-history:${serverId}`,
  /** A session of the dashboard, by the hash of its cookie. */
  session: (hash: string): string => `session:${hash}`,
  /** How far the webhook has delivered a broadcast. */
  webhookCursor: (liveVideoId: string): string => `webhook:${liveVideoId}`,
} as const;

export const LEASE = {
  /**
   * Held by the process that receives the stream: of a live video, whose state it changes. Where there are two input streams, each
   * has one of its own, and that of the live video is the right to be on air.
   */
  publish: (id: string): string => `publish:${id}`,
  /** Held by the running preflight of the live video, not by its process. */
  preflight: (liveVideoId: string): string => `preflight:${liveVideoId}`,
  job: (jobId: string): string => `job:${jobId}`,
  /** Held by the server that makes the objects of the quickstart. */
  quickstart: 'quickstart',
  sweep: 'sweep',
  webhook: 'webhook',
  /** Held by the server that orders a certificate. */
  acme: 'acme',
} as const;

/** A name for one lease of a process. The process's signs of life count for it. */
export const holderOfOnce = (process: string, id: string): string => `${process}#${id}`;

/** The process that gives signs of life for this holder of a lease. */
export const processOf = (holder: string): string => holder.split('#', 1)[0] ?? holder;

/** Short-lived values. */
export const VOLATILE = {
  /** State of the judge that survives a reconnect, a restart or a change of machine. */
  judge: (liveVideoId: string): string => `judge:${liveVideoId}`,
  /** Stream health, for processes that do not hold the stream: of a live video, and of each input stream where there are two. */
  health: (id: string): string => `health:${id}`,
  /** Health of its last stream as it ended, for reports. */
  lastStream: (liveVideoId: string): string => `last-stream:${liveVideoId}`,
  /** The verdict of its last preflight. */
  preflight: (liveVideoId: string): string => `preflight:${liveVideoId}`,
  /** The last disagreement between ffprobe and the facts. */
  disagreement: (liveVideoId: string): string => `disagreement:${liveVideoId}`,
  /** The faults of this broadcast were told before the next one. */
  toldFindings: (liveVideoId: string): string => `told-findings:${liveVideoId}`,
  /** State of the copyright detector: `DetectorState`. */
  copyrightDetector: 'copyright-detector',
  /** Current number of viewers. */
  viewers: (liveVideoId: string): string => `viewers:${liveVideoId}`,
  /** When an access token was last used: milliseconds since 1970. */
  tokenUse: (tokenId: string): string => `token-use:${tokenId}`,
  /** Answer to the authority, by the token of its challenge. */
  acmeChallenge: (token: string): string => `acme-challenge:${token}`,
  /** `ForwardReport` of the last broadcast that has it. */
  forward: (forwardId: string): string => `forward:${forwardId}`,
  /** `ForwardReport` for one broadcast. */
  forwardOf: (forwardId: string, liveVideoId: string): string => `forward:${forwardId}:${liveVideoId}`,
  /** The address at which other processes reach this lease holder. */
  server: (holder: string): string => `server:${holder}`,
} as const;

/** Groups of short-lived values. */
export const VOLATILE_GROUP = {
  /** Last answers of an owner to OBS for each stream key, by the id in the key. */
  encoderSetups: (ownerId: string): string => `encoder-setups:${ownerId}`,
} as const;

/** Topics of the bus. */
export const TOPIC = {
  /** `{ broadcastId, records: StoredRecord[] }` once the store has them. */
  records: 'records',
  /** `{ liveVideoId, status: BroadcastStatus, stream }` */
  state: 'state',
  /** `{ ownerId, liveVideoId }` when a publish with a persistent key opened a new live video. */
  persistentLive: 'persistent-live',
  /** `{ liveVideoId, request }` to the process that holds the stream. */
  control: 'control',
  /** `{ id }`: an access token was revoked; cached tokens must be read again. `{ ownerId }`: roles on this owner changed. `{ sessions }`: sessions ended. */
  tokens: 'tokens',
  /** A comment or a like on a live video. */
  engagement: 'engagement',
  /** `{}`: a job may be due. */
  jobs: 'jobs',
  /** `{ subjectId }`: forwards of a live video or an owner were added, changed or removed. */
  forwards: 'forwards',
  /** `ForwardReport` when the state of a forward changes. */
  forwardState: 'forward-state',
  /** `{}`: references were added, changed or removed, or their prints were made. */
  references: 'references',
} as const;
