/** The specification and the error catalogue as tables. */
import type { CatalogueEntry, Clearing } from '../../rules/catalogue-entry.js';
import { CATALOGUE } from '../../rules/registry/catalogue.js';
import { LIVE } from '../../spec/live.js';
import { ELIGIBILITY, SUBCODES } from '../../spec/service-errors.js';
import { TOLERANCES } from '../../spec/tolerances.js';
import { UPLOAD } from '../../spec/upload.js';

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export function specTables(): Table[] {
  return [
    liveTable(),
    profileTable(),
    uploadTable(),
    catalogueTable(),
    subcodeTable(),
    eligibilityTable(),
    toleranceTable(),
  ];
}

function liveTable(): Table {
  const { keyFrameInterval, videoCodec, audio, duration, aspectRatio } = LIVE;
  const level = (times10: number) => (times10 / 10).toFixed(1);
  return {
    title: `Live broadcasts (in force from ${LIVE.effectiveFrom})`,
    columns: ['Property', 'Specified'],
    rows: [
      ['Tracks', LIVE.tracks.join(' and ')],
      ['Duration', `at most ${duration.maxHours} hours`],
      ['Protocol', LIVE.protocol],
      [
        'Video codec',
        `${videoCodec.name}, level at most ${level(videoCodec.maxLevelTimes10[30])}, at 60 fps ${level(videoCodec.maxLevelTimes10[60])}`,
      ],
      ['Aspect ratio', `${aspectRatio.width}:${aspectRatio.height}`],
      [
        'Key frame interval',
        `${keyFrameInterval.recommendedMs / 1000} s recommended, at most ${keyFrameInterval.maxMs / 1000} s`,
      ],
      ['Audio codec', audio.codec],
      ['Audio sample rate', audio.sampleRatesHz.map((rate) => `${rate / 1000} kHz`).join(' or ')],
      ['Audio bitrate', `${audio.bitrateKbps.preferred} kbps preferred, at most ${audio.bitrateKbps.max} kbps`],
      ['Audio channels', audio.channels === 2 ? 'stereo' : String(audio.channels)],
    ],
  };
}

function profileTable(): Table {
  return {
    title: 'Profiles of live video',
    columns: ['Profile', 'Size', 'Frame rate', 'Video bitrate'],
    rows: LIVE.profiles.map((row) => [
      row.name,
      `${row.width}x${row.height}`,
      row.fps === undefined ? 'any' : String(row.fps),
      `${row.videoBitrateKbps.min} to ${row.videoBitrateKbps.max} kbps`,
    ]),
  };
}

function uploadTable(): Table {
  const { audio } = UPLOAD;
  return {
    title: 'Uploaded videos',
    columns: ['Property', 'Specified'],
    rows: [
      ['Aspect ratio', UPLOAD.aspectRatios.map((ratio) => ratio.name).join(' or ')],
      ['Containers', UPLOAD.containers.join(', ')],
      ['Audio codec', audio.codec],
      ['Audio sample rate', `${audio.sampleRateHz / 1000} kHz`],
      ['Audio channels', audio.channels.map((count) => (count === 1 ? 'mono' : 'stereo')).join(' or ')],
      ['Audio bitrate', `at most ${audio.bitrateKbps.max} kbps`],
    ],
  };
}

function catalogueTable(): Table {
  return {
    title: 'Errors of streams and files',
    columns: ['Code', 'Type', 'Severity', 'Raised when', 'Judged by', 'Cleared', 'Reported'],
    rows: CATALOGUE.map((row) => [
      String(row.code),
      row.type,
      row.severity,
      row.raisedWhen,
      row.judgedBy,
      clearing(row.clears),
      delay(row),
    ]),
  };
}

function subcodeTable(): Table {
  return {
    title: 'Errors of requests: error_subcode',
    columns: ['error_subcode', 'Summary', 'Meaning', 'code', 'HTTP status'],
    rows: Object.entries(SUBCODES).map(([subcode, row]) => [
      subcode,
      row.summary,
      row.text,
      String(row.code),
      String(row.status),
    ]),
  };
}

function eligibilityTable(): Table {
  return {
    title: 'Errors of going live from a profile',
    columns: ['code', 'error_subcode', 'Meaning'],
    rows: [ELIGIBILITY.tooYoung, ELIGIBILITY.tooFewFollowers].map((row) => ['200', String(row.subcode), row.text]),
  };
}

function toleranceTable(): Table {
  return {
    title: 'Tolerances where the published document names no number',
    columns: ['Group', 'Name', 'Value', 'Why'],
    rows: Object.entries(TOLERANCES).flatMap(([group, members]) =>
      Object.entries(members).map(([name, row]) => [group, name, `${row.value} ${row.unit}`.trim(), row.why]),
    ),
  };
}

function delay(row: CatalogueEntry): string {
  return row.delay.ms === 0 ? row.delay.text : `${row.delay.text} (within ${row.delay.ms} ms)`;
}

function clearing(how: Clearing): string {
  switch (how.how) {
    case 'header':
      return 'next conforming header';
    case 'key-frames':
      return how.times === 1 ? 'next conforming key frame' : `${how.times} conforming key frames in a row`;
    case 'window':
      return how.insideMs === 0 ? 'inside the bound' : `inside the bound for ${how.insideMs / 1000} s`;
    case 'flow':
      return `the track flows for ${how.flowsMs / 1000} s`;
    case 'settings':
      return 'the first settings return';
    case 'connection':
      return 'end of the connection';
    case 'point':
      return 'a point in time';
  }
}
