/** Meaning of the last broadcast's records for the next answer: how much its uplink carries, and faults that no answer repairs. */
import type { RecordBody } from '../spec/error-record.js';
import type { LastBroadcast } from './plan.js';

export interface LastFindings extends LastBroadcast {
  /** A sentence or two each. */
  readonly findings: readonly string[];
}

const UPLINK_TOO_SMALL = 6902;
const SENDER_DROPS_FRAMES = 6903;
/** The remedy of these two names the bitrate that the uplink carries. */
const TARGET = /(\d[\d,]*) kbps/;

/** Records that were open so shortly before the end were open at it. */
const AT_END_MS = 2_000;

/** Settings that every answer sets, or that the request itself shows: Settings > Video of OBS. */
const isRepaired = (code: number): boolean => (code >= 6201 && code <= 6216) || code === 6305 || code === 6306;
/** Sample rate and channels: OBS 31.1 and later send them with the request. */
const isInRequest = (code: number): boolean => code === 6303 || code === 6304;
/** A refused publish, an interruption or a limit says nothing about the next broadcast. */
const isOver = (code: number): boolean => code === 6102 || (code >= 6500 && code < 6700);

export function findingsOf(
  records: readonly RecordBody[],
  { endedMs, knowsAudio }: { readonly endedMs: number; readonly knowsAudio: boolean },
): LastFindings {
  const targets = records.flatMap((record) => {
    const isUplink = record.error_code === UPLINK_TOO_SMALL || record.error_code === SENDER_DROPS_FRAMES;
    const [, text] = (isUplink ? TARGET.exec(record.remediation) : undefined) ?? [];
    return text === undefined ? [] : [Number(text.replaceAll(',', ''))];
  });
  const open = records.filter(
    ({ error_code: code, severity, cleared_time_ms: clearedMs }) =>
      severity !== 'info' &&
      (clearedMs === null || clearedMs >= endedMs - AT_END_MS) &&
      !isRepaired(code) &&
      !isOver(code) &&
      !(knowsAudio && isInRequest(code)),
  );
  return {
    ...(targets.length === 0 ? {} : { uplinkVideoKbps: Math.min(...targets) }),
    findings: open.map(({ description }) => description.replace(/^\[[^\]]*\] /, '')),
  };
}
