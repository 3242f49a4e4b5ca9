/** Splice information sections (ANSI/SCTE 35, 9.6): the cues that mark advertising breaks. Checked, and their command read. */

export interface SpliceInfo {
  /** Fault of the section; '' if there is none. */
  readonly fault: '' | 'length' | 'CRC-32' | 'command';
  /** `splice_insert`, `time_signal` …; '' with a fault, or if it is encrypted. */
  readonly command: string;
  /** Direction of a splice_insert that stays in force: out of the program, or back into it. */
  readonly isOut: boolean | undefined;
}

export const SPLICE_TABLE_ID = 0xfc;
/** section_length has 12 bits and counts what follows it, of which the fixed fields and the CRC are 17 bytes. */
const LENGTH_BYTES = 3;
const MIN_SECTION_BYTES = LENGTH_BYTES + 17;
export const MAX_SECTION_BYTES = LENGTH_BYTES + 4093;
const COMMAND_AT = 13;
const SPLICE_INSERT = 5;
const COMMANDS: Readonly<Record<number, string>> = {
  0: 'splice_null',
  4: 'splice_schedule',
  [SPLICE_INSERT]: 'splice_insert',
  6: 'time_signal',
  7: 'bandwidth_reservation',
  255: 'private_command',
};
const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc < 0 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  return crc;
});

/** The section in `bytes`; undefined if they do not begin with its table_id. */
export function readSpliceInfo(bytes: Uint8Array): SpliceInfo | undefined {
  if (bytes[0] !== SPLICE_TABLE_ID) return undefined;
  const size = LENGTH_BYTES + ((((bytes[1] ?? 0) & 0x0f) << 8) | (bytes[2] ?? 0));
  if (size < MIN_SECTION_BYTES || size > MAX_SECTION_BYTES || size > bytes.length) return faulty('length');
  if (crc32(bytes, size) !== 0) return faulty('CRC-32');
  const isEncrypted = ((bytes[4] as number) & 0x80) !== 0;
  if (isEncrypted) return { fault: '', command: '', isOut: undefined };
  const type = bytes[COMMAND_AT] as number;
  const command = COMMANDS[type];
  if (command === undefined) return faulty('command');
  return { fault: '', command, isOut: type === SPLICE_INSERT ? outOfNetwork(bytes, size) : undefined };
}

/** After splice_event_id: splice_event_cancel_indicator, and unless it is set, out_of_network_indicator. */
function outOfNetwork(bytes: Uint8Array, size: number): boolean | undefined {
  const at = COMMAND_AT + 1 + 4;
  if (at + 1 >= size || ((bytes[at] as number) & 0x80) !== 0) return undefined;
  return ((bytes[at + 1] as number) & 0x80) !== 0;
}

function faulty(fault: SpliceInfo['fault']): SpliceInfo {
  return { fault, command: '', isOut: undefined };
}

/** CRC-32 of MPEG-2 systems; 0 over a section with its CRC_32 field. */
function crc32(bytes: Uint8Array, size: number): number {
  let crc = -1;
  for (let i = 0; i < size; i++) crc = (crc << 8) ^ (CRC_TABLE[((crc >>> 24) ^ (bytes[i] as number)) & 0xff] as number);
  return crc >>> 0;
}
