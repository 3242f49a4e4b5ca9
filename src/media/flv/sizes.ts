/** Sizes of the parts of FLV in bytes (FLV E.2, E.3, E.4.1). */

export const FILE_HEADER_BYTES = 9;
export const TAG_HEADER_BYTES = 11;
/** After each tag: the size of the tag with its header. */
export const BACK_POINTER_BYTES = 4;
/** Bytes before the first tag: the file header, and the back pointer 0. */
export const FILE_START_BYTES = FILE_HEADER_BYTES + BACK_POINTER_BYTES;
