// A recording as most are, for the run after which the code of `airlock validate` is kept: 12 seconds, so that every
// window fills, and one fault, so that one is reported (a key frame every five seconds). Slice headers and audio frames are
// valid: the functions that read them belong to the kept code too.
const AVC_1080P30 = '01640028ffe1001b67640028acd940780227e5c044000003000400000300f03c60c65801000468efbcb0fdf8f800';
const AAC_48K_STEREO = '1190';
/** Frames of FFmpeg's encoder: noise at 64 kbps. */
const AAC_FRAMES = [
  '2178cffffff000a0b1a534d41d2b5d7fd386b66a55ed733543fb04ff65e20d599c29dec9ef1b665faf751c2f09b251f78e98f72fe3a0c3264bdbe343829b160ec77b8fc4002ecad522a7e955f3217c2a9ec58180a77ecfbe375bf9bd572ecaf596d4037d37874ad75ff4e1ad9a957b5ccd50fec9509310000000000007',
  '2118cffffffc20a2b1b5b4941d2b8cf7bad4defd99220ab4a7e4dbf1753342cf063751ba1a5c80a8b4a75267d6d50bed5caf86be4242d47ccdee4a2b7595e3aa6e36b13411a2cb659dd5d344b8b1d256d03dd3a641c012fbeaaad425779fc2b73746bd089254682f9735b1bfa86ce185469f7c6afb3da6a21ce9043a5719ef75a9bdfb324415694fc9b7e2ea6680000000000000001c',
  '2118cffffffe209eb235b4741d2be3df7efc4a55def5e3cca1acd65c04f8ab541d5fd6bc20ffcce270c49b64522ad2d646cb5cab88dc5d5c9441f6cdbe01401e2f9e1a59a6546094cab06b99d8e623599e52f351673069aa759060540306916ba71320c8101a279f39661c699c4f44f18d2394539a63ed8fe8aec447cf631a57a7875a310e95f1efbf7e252aef7af1e650d66b2e027c55aa000000000000000000e0',
];
/** slice_header for the parameter sets above; %n is frame_num. */
const I_SLICE = '1 0001000 1 0000 1 000000 0 0 1';
const P_SLICE = '1 00110 1 %n 000100 0 0 1 1 0 0 0 1 1';
const B_SLICE = '1 00111 1 %n 000010 1 0 0 0 1 1';
const FRAMES = 360;
const KEY_FRAME_EVERY = 150;
const FRAME_BYTES = 8000;

/** `built` imports a module of the program by its path. */
export async function warmUpRecording(built) {
  const { flvFileHeader, flvTag } = await built('media/flv/file-writer.js');
  const { SliceList } = await built('bytes/slices.js');
  const parts = [flvFileHeader(true, true)];
  const put = (kind, timeMs, ...bytes) =>
    parts.push(...flvTag(kind, timeMs, SliceList.of(Uint8Array.from(bytes.flat()))));
  const hex = (text) => [...Buffer.from(text, 'hex')];
  put('video', 0, [0x17, 0, 0, 0, 0], hex(AVC_1080P30));
  put('audio', 0, [0xaf, 0], hex(AAC_48K_STEREO));
  const filling = new Array(FRAME_BYTES).fill(0x55);
  const aac = AAC_FRAMES.map(hex);
  for (let frame = 0, sound = 0; frame < FRAMES; frame++) {
    const timeMs = Math.round((frame * 1000) / 30);
    const sinceKey = frame % KEY_FRAME_EVERY;
    const nalUnit = [...sliceStart(sinceKey), ...filling].slice(0, FRAME_BYTES);
    put(
      'video',
      timeMs,
      [sinceKey === 0 ? 0x17 : 0x27, 1, 0, 0, 66],
      [0, 0, FRAME_BYTES >> 8, FRAME_BYTES & 255],
      nalUnit,
    );
    for (; sound * 1024 < timeMs * 48; sound++)
      put('audio', Math.round((sound * 1024) / 48), [0xaf, 1], aac[sound % aac.length]);
  }
  return Buffer.concat(parts);
}

/** Header byte and slice header of a NAL unit; every second inter picture is a B picture that is not a reference. */
function sliceStart(sinceKey) {
  if (sinceKey === 0) return [0x65, ...bytesOf(I_SLICE)];
  const isB = sinceKey % 2 === 0;
  const frameNum = isB ? sinceKey / 2 + 1 : (sinceKey + 1) / 2;
  const number = (frameNum & 15).toString(2).padStart(4, '0');
  return isB ? [0x01, ...bytesOf(B_SLICE.replace('%n', number))] : [0x41, ...bytesOf(P_SLICE.replace('%n', number))];
}

function bytesOf(bits) {
  return bits
    .replaceAll(' ', '')
    .padEnd(32, '0')
    .match(/.{8}/g)
    .map((byte) => Number.parseInt(byte, 2));
}
