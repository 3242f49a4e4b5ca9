/** Key pictures of codecs that are judged by their names and times only. */

const PICTURE = 0;
const VOP = 0xb6;

/** Whether the first picture of `data`, with start codes, can be decoded alone. */
export function isKeyPicture(codec: string, data: Uint8Array): boolean {
  for (let one = data.indexOf(1, 2); one >= 0 && one + 3 < data.length; one = data.indexOf(1, one + 1)) {
    if (data[one - 1] !== 0 || data[one - 2] !== 0) continue;
    const next = data[one + 1] ?? 0;
    if (codec === 'hevc') {
      const type = (next >> 1) & 0x3f;
      // Pictures of random access have the types 16 to 23; all pictures are below 32.
      if (type < 32) return type >= 16 && type <= 23;
    } else if (codec === 'mpeg2video' || codec === 'mpeg1video') {
      if (next === PICTURE) return (((data[one + 3] ?? 0) >> 3) & 7) === 1;
    } else if (codec === 'mpeg4') {
      if (next === VOP) return (data[one + 2] ?? 0) >> 6 === 0;
    } else return true;
  }
  return false;
}
