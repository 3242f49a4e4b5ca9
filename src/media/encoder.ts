/**
 * Identifies the encoder by its own claims: its name in the protocol (RTMP: flashVer of `connect`), strings of onMetaData,
 * x264's SEI. Selects the wording of remedies, never the verdict. Most encoders imitate Adobe's "FMLE/3.0 (compatible;
 * FMSc/1.0)", which identifies nothing.
 */

export type EncoderFamily =
  | 'obs'
  | 'streamlabs'
  | 'ffmpeg'
  | 'gstreamer'
  | 'vmix'
  | 'wirecast'
  | 'larix'
  | 'xsplit'
  | 'hardware'
  | 'unknown';

export interface EncoderIdentity {
  readonly family: EncoderFamily;
  /** Display name: 'OBS Studio', 'Teradek'; 'unknown' if not recognized. */
  readonly name: string;
  /** Version as the encoder writes it; '' if it does not. */
  readonly version: string;
  /** 'x264 core 164 r3095' if the stream carries x264's text, whatever program uses it. */
  readonly videoEncoder: string;
}

export interface EncoderHints {
  readonly clientName?: string | undefined;
  /** onMetaData; only strings of known keys are used. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  readonly encoderSei?: string | undefined;
}

interface Signature {
  readonly family: EncoderFamily;
  readonly name: string;
  /** Group 1, if present, is the version. */
  readonly pattern: RegExp;
}

/**
 * From specific to general: products before the libraries they are built on, because forks of OBS name libobs and programs
 * with FFmpeg's muxer name libavformat.
 */
const SIGNATURES: readonly Signature[] = [
  { family: 'streamlabs', name: 'Streamlabs Desktop', pattern: /(?:streamlabs|slobs)(?:[^\d]{0,40}([\d.]+))?/i },
  { family: 'obs', name: 'PRISM Live Studio', pattern: /prism[^(]{0,40}(?:\(libobs version ([^)\s]+))?/i },
  // "obs-output module (libobs version 30.2.3)"; "FMLE/3.0 (compatible; obs-studio/0.11.4; FMSc/1.0)" in 2015 only.
  { family: 'obs', name: 'OBS Studio', pattern: /libobs version ([^)\s]+)/i },
  { family: 'obs', name: 'OBS Studio', pattern: /obs-studio\/([^\s;)]+)/i },
  { family: 'obs', name: 'Open Broadcaster Software (classic)', pattern: /open broadcaster software(?: v?([\d.]+))?/i },
  // XSplit names its devices and plugins: videodevice "VHVideoCustom", pluginVersion "3.4.1805.1801".
  { family: 'xsplit', name: 'XSplit Broadcaster', pattern: /xsplit\w*(?:[^\d]{0,20}([\d.]+))?|VHVideoCustom/i },
  { family: 'vmix', name: 'vMix', pattern: /\bvmix\b(?:[^\d]{0,20}([\d.]+))?/i },
  // "Wirecast/FM 1.0 (compatible; FMSc/1.0)": 1.0 is the version of the imitated interface, not Wirecast's.
  { family: 'wirecast', name: 'Wirecast', pattern: /wirecast/i },
  { family: 'larix', name: 'Larix Broadcaster', pattern: /larix(?:[^\d]{0,20}([\d.]+))?/i },
  { family: 'hardware', name: 'Teradek', pattern: /teradek(?:[^\d]{0,20}([\d.]+))?/i },
  { family: 'hardware', name: 'AWS Elemental', pattern: /elemental(?:[^\d]{0,20}([\d.]+))?/i },
  { family: 'hardware', name: 'Haivision', pattern: /haivision|\bkulabyte/i },
  { family: 'hardware', name: 'LiveU', pattern: /\bliveu\b/i },
  { family: 'hardware', name: 'Magewell', pattern: /magewell|ultra ?stream/i },
  { family: 'hardware', name: 'Epiphan', pattern: /epiphan|\bpearl[- ]/i },
  { family: 'hardware', name: 'Matrox', pattern: /matrox|\bmonarch/i },
  { family: 'hardware', name: 'Blackmagic', pattern: /blackmagic|\batem\b/i },
  { family: 'hardware', name: 'Kiloview', pattern: /kiloview/i },
  { family: 'hardware', name: 'TriCaster', pattern: /tricaster|newtek/i },
  { family: 'hardware', name: 'GoPro', pattern: /gopro/i },
  { family: 'hardware', name: 'DJI', pattern: /\bdji\b/i },
  { family: 'hardware', name: 'Axis camera', pattern: /\baxis\b/i },
  { family: 'gstreamer', name: 'GStreamer', pattern: /gstreamer(?: ([\d.]+))?/i },
  { family: 'ffmpeg', name: 'FFmpeg (libavformat)', pattern: /\blavf([\d.]+)?/i },
];

/** Keys of onMetaData with the encoder's name, most reliable first. */
const METADATA_KEYS = ['encoder', 'encodername', 'metadatacreator', 'software', 'videodevice', 'pluginName', 'creator'];
/** Longer strings are not names. */
const MAX_TEXT = 200;

/** Recognizes the encoder. An unknown one has family 'unknown', and as name the product of `clientName` if present. */
export function recognizeEncoder(hints: EncoderHints): EncoderIdentity {
  const videoEncoder = x264Name(hints.encoderSei);
  const texts = textsOf(hints);
  for (const { family, name, pattern } of SIGNATURES) {
    for (const text of texts) {
      const match = pattern.exec(text);
      if (match) return { family, name, version: match[1] ?? versionFor(family, hints), videoEncoder };
    }
  }
  return { family: 'unknown', name: ownName(texts) ?? 'unknown', version: '', videoEncoder };
}

function textsOf(hints: EncoderHints): string[] {
  const texts: string[] = [];
  for (const key of METADATA_KEYS) {
    const value = hints.metadata?.[key];
    if (typeof value === 'string' && value !== '') texts.push(value.slice(0, MAX_TEXT));
  }
  if (hints.clientName) texts.push(hints.clientName.slice(0, MAX_TEXT));
  return texts;
}

function versionFor(family: EncoderFamily, hints: EncoderHints): string {
  const version = family === 'xsplit' ? hints.metadata?.pluginVersion : undefined;
  return typeof version === 'string' ? version.slice(0, MAX_TEXT) : '';
}

/** A product name other than Adobe's encoder or player, such as "HaishinKit/1.9", as sent. */
function ownName(texts: readonly string[]): string | undefined {
  return texts.find((text) => !/^(?:FMLE|FME|Flash Media|WIN |LNX |MAC |AND )/i.test(text));
}

/** 'x264 core 164 r3095'; empty if the text is not x264's. */
function x264Name(text: string | undefined): string {
  const version = /^x264 - core (\d+)(?: (r\d+))?/.exec(text ?? '');
  return version === null ? '' : `x264 core ${version[1]}${version[2] === undefined ? '' : ` ${version[2]}`}`;
}
