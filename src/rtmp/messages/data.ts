/** Data messages (RTMP 1.0 7.1.2): a handler name and values. After `@setDataFrame` the actual handler name follows. */
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import type { AmfValue } from '../amf/amf-value.js';
import { decodeAmf0 } from '../amf/amf0-decoder.js';
import type { AmfLimits } from '../limits.js';
import { amfBodyStart } from './command.js';

export interface DataMessage {
  readonly name: string;
  readonly values: readonly AmfValue[];
}

/**
 * A body longer than `maxBytes` is refused without decoding.
 * @throws WireError
 */
export function readDataMessage(typeId: number, payload: SliceList, limits: AmfLimits, maxBytes: number): DataMessage {
  if (payload.length > maxBytes) {
    throw new WireError('RTMP_DATA_TOO_LONG', `data message too long: ${payload.length} bytes`, 'RTMP 1.0 7.1.2');
  }
  const body = payload.copy(0, payload.length);
  const values = decodeAmf0(body, limits, amfBodyStart(typeId, body));
  if (values[0] === '@setDataFrame') values.shift();
  const name = values.shift();
  if (typeof name !== 'string') {
    throw new WireError('RTMP_DATA_NAME', 'the data message does not begin with a name', 'RTMP 1.0 7.1.2', 0);
  }
  return { name, values };
}
