/** Faults of a coded frame's bit stream, as bits of `VideoPacket.flaws`. */

/** A NAL unit with a length outside the frame, a length of 0, forbidden_zero_bit, type 0, or a reserved type. */
export const FLAW_NAL_UNIT = 1;
/** A slice refers to a parameter set that was not received. */
export const FLAW_SET_ABSENT = 1 << 1;
/** The sequence parameter set was replaced by another one, and this picture is not an IDR. */
export const FLAW_SET_REPLACED = 1 << 2;
/** Reference pictures are missing before this picture. */
export const FLAW_REFERENCE_LOST = 1 << 3;
/** A B slice in the Baseline profile. */
export const FLAW_B_IN_BASELINE = 1 << 4;
