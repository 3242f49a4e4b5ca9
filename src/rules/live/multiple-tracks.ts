/**
 * 6216: one audio and one video track, without the multitrack form of Enhanced RTMP, which older FLV readers cannot play.
 * Further tracks are agreed by the settings that the server gave the encoder; their key frames must fall together.
 */
import { BEAT, MULTITRACK } from '../../facts/measures/events.js';
import type { StreamFacts } from '../../facts/stream-facts.js';
import { KEY_FRAMES } from '../../spec/tolerances.js';
import { CLAUSES, CLEARS, entry } from '../catalogue-entry.js';
import { FAIL_NOW, has, type LiveRule, PASS } from '../rule.js';

const ONE = 'one of each kind';
const AGREED = 'as agreed';

export const multipleTracks: LiveRule = {
  entry: entry({
    code: 6216,
    type: 'MULTIPLE_TRACKS',
    severity: 'warning',
    title: 'Tracks that were not agreed, or whose key frames differ',
    passes: 'One track of each kind',
    row: 'video-format',
    clause: `${CLAUSES.rule} 1`,
    raisedWhen: `The encoder sends a track that the server's settings do not name (without such settings: the multitrack form of Enhanced RTMP, even for a single track), or the key frames of two video tracks are more than ${KEY_FRAMES.tracksApartMs.value} ms apart. Each video track is judged; the first one is recorded.`,
    clears: CLEARS.insideWindow,
    delay: { ms: 0, text: 'with the first such packet; for key frames, one interval later' },
    sentence: 'The stream has {observed}; expected: {limit}.',
  }),
  remedy: 'Turn off multitrack video and additional audio tracks.',
  events: MULTITRACK | BEAT,
  check: (_facts, events) => (has(events, MULTITRACK) ? FAIL_NOW : PASS),
  observed,
  limit,
  remedyNow: ({ multitrack }) => {
    if (multitrack.fault === 'key-frames')
      return 'Use the same key frame interval for all video tracks, without scene cuts.';
    return multitrack.isSetUp
      ? 'Import the OBS profile of this broadcast again, and change nothing in Settings > Stream.'
      : undefined;
  },
};

function observed({ multitrack }: StreamFacts): string {
  const { fault, kind, trackId, apartMs, agreedVideo } = multitrack;
  switch (fault) {
    case 'form':
      return 'the multitrack form of Enhanced RTMP';
    case 'track':
      return `${kind} track ${trackId}`;
    case 'key-frames':
      return `key frames of video track ${trackId} ${Number.isFinite(apartMs) ? `${Math.round(apartMs)} ms ` : ''}away from those of track 0`;
    default:
      return agreedVideo > 1 ? AGREED : ONE;
  }
}

function limit({ multitrack }: StreamFacts): string {
  const { fault, agreedVideo, agreedAudio, isSetUp } = multitrack;
  if (fault === 'key-frames') return 'the same times in all video tracks';
  if (agreedVideo > 1 || agreedAudio > 1) return `${agreedVideo} video and ${agreedAudio} audio as agreed`;
  return isSetUp || fault !== 'none' ? 'one track of each kind' : ONE;
}
