/** The captions, texts, cues and time codes of a stream, as rows of its health. */
import type { StreamFacts } from '../facts/stream-facts.js';
import type { Timecode } from '../media/data/timecode.js';
import type { DataTrack } from './judge-types.js';

export function dataTracks({ data }: StreamFacts): DataTrack[] {
  const { captions, splices, pictureCodes } = data;
  const rows: DataTrack[] = captions.channels.map(({ name, frames, liveAtMs }) => ({
    kind: 'captions',
    format: name,
    count: frames,
    lastMs: Math.round(liveAtMs),
    ...(name !== 'CEA-708' && captions.damaged > 0 ? { invalid: captions.damaged } : {}),
  }));
  if (pictureCodes.count > 0) rows.push(timecodeRow('picture timing', pictureCodes));
  for (const [format, { kind, count, streamMs }] of data.messages) {
    const isCode = kind === 'timecode' && data.messageCodes.count > 0;
    rows.push(isCode ? timecodeRow(format, data.messageCodes) : { kind, format, count, lastMs: Math.round(streamMs) });
  }
  if (splices !== undefined) {
    const { count, invalid, streamMs, last } = splices;
    rows.push({ kind: 'cues', format: 'SCTE 35', count, lastMs: Math.round(streamMs), invalid, last });
  }
  return rows;
}

function timecodeRow(format: string, { count, streamMs, jumps, last }: StreamFacts['data']['pictureCodes']): DataTrack {
  const row: DataTrack = { kind: 'timecode', format, count, lastMs: Math.round(streamMs), invalid: jumps };
  return last === undefined ? row : { ...row, last: timecodeText(last) };
}

/** `01:00:00:12`, with `;` before the frames where numbers are left out, or `01:00:00.480`. */
export function timecodeText({ hours, minutes, seconds, frames, fractionMs, isDropFrame }: Timecode): string {
  const time = [hours, minutes, seconds].map((value) => String(value).padStart(2, '0')).join(':');
  if (!Number.isNaN(fractionMs)) return `${time}.${String(Math.round(fractionMs)).padStart(3, '0')}`;
  return `${time}${isDropFrame ? ';' : ':'}${String(frames).padStart(2, '0')}`;
}
