/** Decodes one AMF3 value without the AMF0 value that holds it on the wire. */
import { ByteReader } from '../../src/bytes/byte-reader.js';
import { AmfBudget, type AmfValue } from '../../src/rtmp/amf/amf-value.js';
import { readAmf3Value } from '../../src/rtmp/amf/amf3-decoder.js';
import { DEFAULT_AMF_LIMITS } from '../../src/rtmp/limits.js';

const CLAUSE = 'AMF3 3.1';

/** @throws WireError */
export function decodeAmf3(bytes: Uint8Array): AmfValue {
  return readAmf3Value(new ByteReader(bytes, CLAUSE), new AmfBudget(DEFAULT_AMF_LIMITS, CLAUSE));
}
