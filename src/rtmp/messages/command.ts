/** Command messages (RTMP 1.0 7.1.1, 7.2): a name, a transaction ID, a command object, arguments. */
import type { SliceList } from '../../bytes/slices.js';
import { WireError } from '../../bytes/wire-error.js';
import { SHOWN_BYTES, sentencesWithin } from '../../lib/text.js';
import { type AmfObject, type AmfValue, amfObject } from '../amf/amf-value.js';
import { decodeAmf0 } from '../amf/amf0-decoder.js';
import type { AmfLimits } from '../limits.js';
import { MESSAGE_TYPE } from '../protocol.js';

export interface Command {
  readonly name: string;
  /** 0 if no answer is expected. */
  readonly transactionId: number;
  readonly object: AmfValue;
  readonly args: readonly AmfValue[];
}

/**
 * Types 17 and 15 put a format byte before AMF0 values (RTMP 1.0 7.1.1). Some senders omit it; since a name begins with a
 * string marker, a zero can only be that byte.
 */
export function amfBodyStart(typeId: number, body: Uint8Array): number {
  const flex = typeId === MESSAGE_TYPE.commandAmf3 || typeId === MESSAGE_TYPE.dataAmf3;
  return flex && body[0] === 0 ? 1 : 0;
}

/** @throws WireError */
export function readCommand(typeId: number, payload: SliceList, limits: AmfLimits): Command {
  const body = payload.copy(0, payload.length);
  const [name, transactionId, object, ...args] = decodeAmf0(body, limits, amfBodyStart(typeId, body));
  if (typeof name !== 'string') {
    throw new WireError('RTMP_COMMAND_NAME', 'the command does not begin with a name', 'RTMP 1.0 7.1.1', 0);
  }
  return {
    name,
    transactionId: typeof transactionId === 'number' && Number.isFinite(transactionId) ? transactionId : 0,
    object,
    args,
  };
}

/** The information object of onStatus and `_error`. */
export interface StatusInfo {
  readonly level: 'status' | 'warning' | 'error';
  readonly code: string;
  readonly description: string;
  readonly [field: string]: string | number | boolean;
}

/**
 * Builds an AMF object with level, code and description first. The description is never empty: OBS and librtmp crash on an
 * `_error` without one.
 */
export function statusObject(info: StatusInfo): AmfObject {
  const { level, code, description, ...others } = info;
  const words = sentencesWithin(description, SHOWN_BYTES);
  return amfObject({ level, code, description: words === '' ? code : words, ...others });
}

/** Data messages (RTMP 1.0 7.1.2): a handler name and values. After `@setDataFrame` the actual handler name follows. */
interface DataMessage {
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
