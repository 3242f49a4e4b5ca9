/** program_config_element of AAC (ISO/IEC 14496-3, 4.4.1.1), read for its number of channels. */
import type { BitReader } from '../../bytes/bit-reader.js';

/**
 * Reads the element from its element_instance_tag on and counts channels: two per channel pair, one per single channel and
 * per LFE. Leaves the reader after the comment, on a byte boundary of the config.
 */
export function countChannels(bits: BitReader): number {
  bits.u(4); // element_instance_tag
  bits.u(2); // object_type
  bits.u(4); // sampling_frequency_index
  const front = bits.u(4);
  const side = bits.u(4);
  const back = bits.u(4);
  const lowFrequency = bits.u(2);
  const associatedData = bits.u(3);
  const coupling = bits.u(4);
  if (bits.flag()) bits.u(4); // mono_mixdown_element_number
  if (bits.flag()) bits.u(4); // stereo_mixdown_element_number
  if (bits.flag()) bits.u(3); // matrix_mixdown_idx, pseudo_surround_enable

  let channels = lowFrequency;
  for (let i = 0; i < front + side + back; i++) {
    channels += bits.flag() ? 2 : 1; // is_cpe
    bits.u(4); // tag_select
  }
  bits.skip(4 * lowFrequency);
  bits.skip(4 * associatedData);
  bits.skip(5 * coupling); // is_ind_sw, tag_select
  bits.align(); // byte_alignment counts from the start of the config
  bits.skip(8 * bits.u(8)); // comment_field_bytes
  return channels;
}
