// The load's content by ffmpeg: four seconds that meet the specification, made once and kept beside the temporary files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PERIOD_MS = 4000;

/** Profiles: the video bitrate of each, with AAC of 128 kbps. */
export const PROFILES = {
  '360p30': { size: '640x360', fps: 30, kbps: 700 },
  '720p30': { size: '1280x720', fps: 30, kbps: 2500 },
  '1080p30': { size: '1920x1080', fps: 30, kbps: 4800 },
  '1080p60': { size: '1920x1080', fps: 60, kbps: 8000 },
};

/** `4000k`: a picture that suits this bitrate, with noise, so that the encoder needs all of it. */
function ofBitrate(profile) {
  const [, digits] = /^(\d+)k$/.exec(profile) ?? [];
  if (digits === undefined) return undefined;
  const kbps = Number(digits);
  const { size, fps } = Object.values(PROFILES).findLast((known) => known.kbps <= kbps) ?? PROFILES['360p30'];
  return { size, fps, kbps, noise: 'noise=alls=40:allf=t' };
}

export function content(profile = '1080p30') {
  const { size, fps, kbps, noise = '' } = PROFILES[profile] ?? ofBitrate(profile) ?? unknown(profile);
  const folder = join(tmpdir(), 'airlock-bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${profile}-${kbps}k-loop.flv`);
  if (!existsSync(file)) {
    const draft = `${file}.${process.pid}.draft`;
    const seconds = PERIOD_MS / 1000;
    const gop = 2 * fps;
    // More than the bitrate, so that the decoder's buffer is full again where the loop begins anew.
    const maxKbps = Math.round(1.1 * kbps);
    const rate = `bitrate=${kbps}:vbv-maxrate=${maxKbps}:vbv-bufsize=${maxKbps}`;
    const inputs = [`testsrc2=size=${size}:rate=${fps}`, 'sine=frequency=440:sample_rate=48000'];
    const picture = noise === '' ? [] : ['-vf', noise];
    const video = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-bf', '0'];
    const x264 = `keyint=${gop}:min-keyint=${gop}:scenecut=0:nal-hrd=vbr:${rate}`;
    const audio = ['-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
    execFileSync('ffmpeg', [
      ...['-v', 'error', '-y'],
      ...inputs.flatMap((input) => ['-f', 'lavfi', '-i', `${input}:duration=${seconds}`]),
      ...[...picture, ...video, '-x264-params', x264, ...audio, '-f', 'flv', draft],
    ]);
    renameSync(draft, file);
  }
  // The encoder's delay makes the sound a frame longer; without it the seams of a loop have times that go back.
  return tags(readFileSync(file)).filter((tag) => tag.header || tag.timestampMs < PERIOD_MS);
}

function unknown(profile) {
  throw new Error(`no profile ${profile}: there are ${Object.keys(PROFILES).join(', ')}`);
}

/** FLV tags as `{ typeId, timestampMs, payload, header }`; `header` marks sequence headers and metadata. */
export function tags(bytes) {
  const out = [];
  let at = bytes.readUInt32BE(5) + 4;
  while (at + 11 <= bytes.length) {
    const typeId = bytes[at];
    const size = bytes.readUIntBE(at + 1, 3);
    const timestampMs = bytes.readUIntBE(at + 4, 3) | (bytes[at + 7] << 24);
    const payload = bytes.subarray(at + 11, at + 11 + size);
    const isConfig =
      (typeId === 9 && (payload[0] & 0x0f) === 7 && payload[1] === 0) ||
      (typeId === 8 && payload[0] >> 4 === 10 && payload[1] === 0);
    if (size > 2 && !(typeId === 9 && payload[1] === 2))
      out.push({ typeId, timestampMs, payload, header: isConfig || typeId === 18 });
    at += 11 + size + 4;
  }
  return out;
}
