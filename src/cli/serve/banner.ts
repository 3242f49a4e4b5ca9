/** Text that `serve` prints when it is ready: the values that an encoder needs, ready to be copied. */
import type { Quickstart } from '../../config/quickstart-file.js';

/** A picture and a tone that meet the specification: 720p30, 2.5 Mbps constant, a key frame each 2 s, stereo AAC. */
export function ffmpegLine(secureStreamUrl: string): string {
  return [
    'ffmpeg -re -f lavfi -i testsrc2=size=1280x720:rate=30 -f lavfi -i sine=frequency=440:sample_rate=48000',
    '-c:v libx264 -preset veryfast -pix_fmt yuv420p -x264-params nal-hrd=cbr',
    '-b:v 2500k -minrate 2500k -maxrate 2500k -bufsize 2500k -g 60 -sc_threshold 0',
    `-c:a aac -b:a 128k -ar 48000 -ac 2 -f flv "${secureStreamUrl}"`,
  ].join(' ');
}

export interface BannerFacts {
  readonly streamUrlBase: string;
  readonly httpUrl: string;
  readonly dashboardUrl: string;
  /** The local authority's certificate, when the server made its own. */
  readonly authorityFile: string | undefined;
  readonly quickstart: Quickstart | undefined;
  readonly quickstartPath: string;
  /** The address that it listens on, where that keeps others from the addresses above. */
  readonly onlyOn: string | undefined;
  /** The output is a terminal. Elsewhere it is kept in logs, which stream keys, sign-in links and dock links must not reach. */
  readonly isTerminal: boolean;
}

export function banner(facts: BannerFacts): string {
  const { quickstart, isTerminal } = facts;
  const lines = ['', 'Airlock is ready.', '', `  Stream URL    ${quickstart?.stream_url_base ?? facts.streamUrlBase}`];
  if (facts.onlyOn !== undefined) {
    lines.splice(2, 0, `But not for other machines: it listens on ${facts.onlyOn} only (AIRLOCK_HOST).`);
  }
  if (quickstart === undefined) lines.push('  Stream key    of a live video: npx airlock live create --owner ID');
  else if (isTerminal) lines.push(`  Stream key    ${quickstart.stream_key}`);
  const signIn = isTerminal ? quickstart?.sign_in_url : undefined;
  lines.push(`  HTTP          ${facts.httpUrl} (documents: ${facts.httpUrl}/help/)`);
  lines.push(`  Dashboard     ${signIn ?? facts.dashboardUrl}`);
  if (signIn !== undefined) lines.push('                (this link signs you in: once, within 15 minutes)');
  if (isTerminal && quickstart?.dock_url !== undefined) lines.push(`  OBS dock      ${quickstart.dock_url}`);
  if (facts.authorityFile !== undefined) {
    lines.push(`  Authority     ${facts.authorityFile} (OBS checks certificates; how to trust it: npx airlock doctor)`);
  }
  if (quickstart !== undefined) {
    lines.push(
      `  ${isTerminal ? 'Token         ' : 'Key, token    '}in ${facts.quickstartPath}`,
      '',
      ...nextSteps(facts, quickstart),
    );
  }
  lines.push('');
  return lines.join('\n');
}

/** Commands for the folder of the server. Only the ffmpeg line holds a secret. */
function nextSteps({ isTerminal }: BannerFacts, quickstart: Quickstart): string[] {
  return [
    'Break a rule: npx airlock replay sample:broken',
    `See errors: npx airlock live errors ${quickstart.live_video_id}`,
    'Mend it: npx airlock replay sample:clean',
    ...(isTerminal ? ['With ffmpeg:', ffmpegLine(quickstart.secure_stream_url)] : ['Sign in: npx airlock sign-in']),
  ];
}
