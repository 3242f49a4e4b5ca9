// The load's content: 1080p30 at 4.8 Mbps and AAC 128 kbps by ffmpeg, made once and kept beside the temporary files.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SECONDS = 4;

export function content() {
  const folder = join(tmpdir(), 'airlock-bench');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, '1080p30-4800k.flv');
  if (!existsSync(file)) {
    const draft = `${file}.draft`;
    const x264 = 'keyint=60:min-keyint=60:scenecut=0:nal-hrd=cbr:bitrate=4800:vbv-maxrate=4800:vbv-bufsize=4800';
    execFileSync('ffmpeg', [
      '-v',
      'error',
      '-y',
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=1920x1080:rate=30:duration=${SECONDS}`,
      '-f',
      'lavfi',
      '-i',
      `sine=frequency=440:sample_rate=48000:duration=${SECONDS}`,
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-pix_fmt',
      'yuv420p',
      '-x264-params',
      x264,
      '-bf',
      '0',
      '-c:a',
      'aac',
      '-b:a',
      '128k',
      '-ac',
      '2',
      '-f',
      'flv',
      draft,
    ]);
    renameSync(draft, file);
  }
  return tags(readFileSync(file));
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
