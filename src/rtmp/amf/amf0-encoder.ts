import { ByteWriter } from '../../bytes/byte-writer.js';
import { AmfDate, type AmfObject, type AmfValue } from './amf-value.js';
import { AMF0_MARKER } from './amf0-decoder.js';

const UTF8 = new TextEncoder();
const LONGEST_SHORT_STRING = 0xffff;
/** Values we send are shallow; a deeper one is a bug, such as a cycle. */
const MAX_DEPTH = 64;

/** Members to be written as an ECMA array, the usual form of onMetaData. */
export class EcmaArray {
  readonly members: Readonly<AmfObject>;

  constructor(members: Readonly<AmfObject>) {
    this.members = members;
  }
}

/** Encodes successive values, as in commands and data messages. Throws TypeError for byte arrays, which AMF0 lacks. */
export function encodeAmf0(...values: readonly (AmfValue | EcmaArray)[]): Uint8Array {
  const writer = new ByteWriter();
  for (const value of values) write(writer, value, 0);
  return writer.toBytes();
}

function write(writer: ByteWriter, value: AmfValue | EcmaArray, depth: number): void {
  if (depth > MAX_DEPTH) throw new RangeError('a value nested too deep to send');
  switch (typeof value) {
    case 'number':
      writer.u8(AMF0_MARKER.number).f64(value);
      return;
    case 'boolean':
      writer.u8(AMF0_MARKER.boolean).u8(value ? 1 : 0);
      return;
    case 'string':
      writeString(writer, value);
      return;
    case 'undefined':
      writer.u8(AMF0_MARKER.undefined);
      return;
    default:
      writeObject(writer, value, depth);
  }
}

function writeString(writer: ByteWriter, value: string): void {
  const bytes = UTF8.encode(value);
  if (bytes.length <= LONGEST_SHORT_STRING) writer.u8(AMF0_MARKER.string).u16(bytes.length).bytes(bytes);
  else writer.u8(AMF0_MARKER.longString).u32(bytes.length).bytes(bytes);
}

function writeObject(
  writer: ByteWriter,
  value: AmfObject | AmfValue[] | AmfDate | Uint8Array | EcmaArray | null,
  depth: number,
): void {
  if (value === null) {
    writer.u8(AMF0_MARKER.null);
  } else if (value instanceof AmfDate) {
    writer
      .u8(AMF0_MARKER.date)
      .f64(value.epochMs)
      .u16(value.timeZoneMinutes & 0xffff);
  } else if (value instanceof Uint8Array) {
    throw new TypeError('AMF0 has no byte arrays');
  } else if (Array.isArray(value)) {
    writer.u8(AMF0_MARKER.strictArray).u32(value.length);
    for (const element of value) write(writer, element, depth + 1);
  } else if (value instanceof EcmaArray) {
    writer.u8(AMF0_MARKER.ecmaArray).u32(Object.keys(value.members).length);
    writeMembers(writer, value.members, depth);
  } else {
    writer.u8(AMF0_MARKER.object);
    writeMembers(writer, value, depth);
  }
}

function writeMembers(writer: ByteWriter, members: Readonly<AmfObject>, depth: number): void {
  for (const [key, value] of Object.entries(members)) {
    const name = UTF8.encode(key);
    if (name.length > LONGEST_SHORT_STRING) throw new RangeError('a member name too long to send');
    writer.u16(name.length).bytes(name);
    write(writer, value, depth + 1);
  }
  writer.u16(0).u8(AMF0_MARKER.objectEnd);
}
