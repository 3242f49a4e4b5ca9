// A recording of any size: a clip by x264 within the specification, and then its packets over and over. Made once, and kept.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const CLIP_SECONDS = 12;
const PROFILES = {
  '1080p30': { size: '1920x1080', kbps: 5000 },
  '720p30': { size: '1280x720', kbps: 2500 },
  '720p30-low': { size: '1280x720', kbps: 1500 },
};

/** Path of a recording of H.264 with two B-frames, and AAC of 128 kbps. */
export function recording(megabytes, profile) {
  const { size, kbps } = PROFILES[profile];
  const folder = join(tmpdir(), 'airlock-bench');
  mkdirSync(folder, { recursive: true });
  const clip = join(folder, `${profile}-${kbps}k.flv`);
  const picture = `testsrc2=size=${size}:rate=30:duration=${CLIP_SECONDS},noise=alls=8:allf=t`;
  const sound = `sine=frequency=440:sample_rate=48000:duration=${CLIP_SECONDS}`;
  const x264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-bf', '2'];
  const rate = ['-x264-params', 'keyint=60:min-keyint=60:scenecut=0', '-b:v', `${kbps}k`, '-maxrate', `${kbps}k`];
  const aac = ['-bufsize', `${kbps}k`, '-c:a', 'aac', '-b:a', '128k', '-ac', '2'];
  make(clip, ['-f', 'lavfi', '-i', picture, '-f', 'lavfi', '-i', sound, ...x264, ...rate, ...aac]);
  const file = join(folder, `${profile}-${kbps}k-${megabytes}mb.flv`);
  const times = Math.ceil((megabytes * 1e6) / statSync(clip).size);
  make(file, ['-stream_loop', String(times - 1), '-i', clip, '-c', 'copy', '-flvflags', 'no_duration_filesize']);
  return file;
}

function make(file, args) {
  if (existsSync(file)) return;
  const draft = `${file}.draft`;
  execFileSync('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...args, '-f', 'flv', draft], { stdio: 'inherit' });
  renameSync(draft, file);
}
