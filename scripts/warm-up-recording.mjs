// A recording as most are, for the run after which the code of `airlock validate` is kept: 12 seconds, so that every
// window fills, and one fault, so that one is reported (a key frame every five seconds).
const AVC_1080P30 = '01640028ffe1001b67640028acd940780227e5c044000003000400000300f03c60c65801000468efbcb0fdf8f800';
const AAC_48K_STEREO = '1190';
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
  const filling = new Array(FRAME_BYTES - 1).fill(0x55);
  for (let frame = 0, sound = 0; frame < FRAMES; frame++) {
    const timeMs = Math.round((frame * 1000) / 30);
    const isKey = frame % KEY_FRAME_EVERY === 0;
    const nalUnit = [0, 0, FRAME_BYTES >> 8, FRAME_BYTES & 255, isKey ? 0x65 : 0x41, filling];
    put('video', timeMs, [isKey ? 0x17 : 0x27, 1, 0, 0, 66], nalUnit.flat());
    for (; sound * 1024 < timeMs * 48; sound++)
      put('audio', Math.round((sound * 1024) / 48), [0xaf, 1], filling.slice(0, 340));
  }
  return Buffer.concat(parts);
}
