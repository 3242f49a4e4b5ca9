/** ASF and WMV: the file properties hold the file size, the data object its own size (ASF specification 1.2, §3 and §5). */
import type { Container } from './container.js';
import { type FileBytes, truncated } from './file-bytes.js';

const HEADER = '3026b2758e66cf11a6d900aa0062ce6c';
const FILE_PROPERTIES = 'a1dcab8c47a9cf118ee400c00c205365';
const DATA = '3626b2758e66cf11a6d900aa0062ce6c';
const INDEX = '90080033b1e5cf1189f400a0c90349cb';
/** Six bytes per second for a day. */
const INDEX_BYTES = 512 * 1024;
const MOST_OBJECTS = 1000;
/** How much of the header is searched. */
const HEADER_BYTES = 1024 * 1024;

export const asf: Container = {
  demuxers: ['asf'],
  findTruncation,
};

function findTruncation(file: FileBytes): string | undefined {
  const start = file.read(0, 24);
  if (start.length < 24 || start.toString('hex', 0, 16) !== HEADER) return undefined;
  const headerLength = Number(start.readBigUInt64LE(16));
  if (headerLength > file.size) return truncated('the header', headerLength, file.size);
  const properties = propertiesIn(file.read(0, Math.min(headerLength, HEADER_BYTES)));
  const data = file.read(headerLength, 24);
  if (data.length < 24 || data.toString('hex', 0, 16) !== DATA) return undefined;
  const there = file.size - headerLength;
  if (properties?.isBroadcast !== false) return partOfPacket(file, properties, there);
  const dataLength = Number(data.readBigUInt64LE(16));
  if (dataLength > there) return truncated('the data object', dataLength, there);
  return properties.fileBytes > file.size
    ? truncated('the file according to its header', properties.fileBytes, file.size)
    : undefined;
}

interface Properties {
  readonly fileBytes: number;
  /** Set in live recordings: sizes and counts are unknown. */
  readonly isBroadcast: boolean;
  /** All packets have the same size. */
  readonly packetBytes: number;
}

function propertiesIn(header: Buffer): Properties | undefined {
  let at = 30;
  for (let objects = 0; objects < MOST_OBJECTS && at + 104 <= header.length; objects++) {
    if (header.toString('hex', at, at + 16) === FILE_PROPERTIES) {
      return {
        fileBytes: Number(header.readBigUInt64LE(at + 40)),
        isBroadcast: (header.readUInt32LE(at + 88) & 1) === 1,
        packetBytes: header.readUInt32LE(at + 92),
      };
    }
    const length = Number(header.readBigUInt64LE(at + 16));
    if (length < 24) return undefined;
    at += length;
  }
  return undefined;
}

/** The only check for a live recording: after the 50-byte header of the data object come packets, then perhaps an index. */
function partOfPacket(file: FileBytes, properties: Properties | undefined, dataBytes: number): string | undefined {
  const tailAt = Math.max(0, file.size - INDEX_BYTES);
  if (file.read(tailAt, INDEX_BYTES).includes(Buffer.from(INDEX, 'hex'))) return undefined;
  if (properties === undefined || properties.packetBytes === 0 || dataBytes < 50) return undefined;
  const rest = (dataBytes - 50) % properties.packetBytes;
  return rest === 0 ? undefined : truncated('the last packet', properties.packetBytes, rest);
}
