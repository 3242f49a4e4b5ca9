/** Changes of files that ffmpeg wrote which it cannot write itself: edit lists and the marks of encryption. */

export const PMT_PID = 0x1000;

/** A Matroska file without an index, each track with these bytes at its end. */
export function withEncodings(file: Buffer, encodings: Buffer): Buffer {
  // The seek head has the ID of the element too.
  const id = Buffer.from('1654ae6b', 'hex');
  const tracksAt = file.indexOf(id, file.indexOf(id) + 1);
  const tracks = sized(file, tracksAt + 4);
  const entries: Buffer[] = [];
  for (let at = tracks.from; at < tracks.to; ) {
    // TrackEntry; others, a checksum among them, are left out.
    const entry = sized(file, at + 1);
    if (file[at] === 0xae) {
      entries.push(Buffer.concat([Buffer.of(0xae), sizeField(entry.to - entry.from + encodings.length)]));
      entries.push(file.subarray(entry.from, entry.to), encodings);
    }
    at = entry.to;
  }
  const body = Buffer.concat(entries);
  return Buffer.concat([file.subarray(0, tracksAt + 4), sizeField(body.length), body, file.subarray(tracks.to)]);
}

/** The body of an EBML element whose size field is at `at`. */
function sized(file: Buffer, at: number): { readonly from: number; readonly to: number } {
  const bytes = Math.clz32(file[at] ?? 0) - 23;
  let size = (file[at] ?? 0) & (0xff >> bytes);
  for (let i = 1; i < bytes; i++) size = size * 256 + (file[at + i] ?? 0);
  return { from: at + bytes, to: at + bytes + size };
}

function sizeField(size: number): Buffer {
  const field = Buffer.alloc(4);
  field.writeUInt32BE(0x10000000 + size);
  return field;
}

/** The program map with the stream types of encrypted H.264 and AAC. */
export function encryptTypes(packet: Buffer): void {
  const table = packet.subarray(5, 5 + 3 + (packet.readUInt16BE(6) & 0xfff));
  for (let at = 12 + (table.readUInt16BE(10) & 0xfff); at + 5 <= table.length - 4; ) {
    table.writeUInt8(table[at] === 0x1b ? 0xdb : 0xcf, at);
    at += 5 + (table.readUInt16BE(at + 3) & 0xfff);
  }
  let crc = 0xffffffff;
  for (const byte of table.subarray(0, table.length - 4)) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  table.writeInt32BE(crc | 0, table.length - 4);
}

export interface EditedPart {
  readonly fromS: number;
  readonly forS: number;
}

/** An MP4 file of ffmpeg, its index last, whose two tracks show these parts. */
export function withEdits(file: Buffer, parts: readonly EditedPart[]): Buffer {
  const scales = [...file.toString('latin1').matchAll(/mdhd/g)].map(({ index }) => file.readUInt32BE(index + 16));
  let track = 0;
  const rebuilt = (from: number, to: number): Buffer => {
    const boxes: Buffer[] = [];
    for (let at = from; at < to; at += file.readUInt32BE(at)) {
      const type = file.toString('latin1', at + 4, at + 8);
      const end = at + file.readUInt32BE(at);
      if (type === 'moov' || type === 'trak') boxes.push(mp4Box(type, rebuilt(at + 8, end)));
      else if (type === 'edts') boxes.push(mp4Box('edts', mp4Box('elst', editList(parts, scales[track++] ?? 0))));
      else boxes.push(file.subarray(at, end));
    }
    return Buffer.concat(boxes);
  };
  return rebuilt(0, file.length);
}

function mp4Box(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

function editList(parts: readonly EditedPart[], scale: number): Buffer {
  const list = Buffer.alloc(8 + 12 * parts.length);
  list.writeUInt32BE(parts.length, 4);
  for (const [i, { fromS, forS }] of parts.entries()) {
    list.writeUInt32BE(Math.round(forS * 1000), 8 + 12 * i);
    list.writeUInt32BE(Math.round(fromS * scale), 12 + 12 * i);
    list.writeUInt32BE(0x10000, 16 + 12 * i);
  }
  return list;
}
