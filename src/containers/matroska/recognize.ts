/** Matroska and WebM by their first element (RFC 8794, 11.2). */
import { childrenOf, ID } from './elements.js';

const UTF8 = new TextDecoder();

export function isEbml(head: Uint8Array): boolean {
  return head[0] === 0x1a && head[1] === 0x45 && head[2] === 0xdf && head[3] === 0xa3;
}

/** The DocType (11.2.6) distinguishes WebM from Matroska. Undefined: another file. */
export function matroskaContainer(head: Uint8Array): string | undefined {
  if (!isEbml(head)) return undefined;
  const [ebml] = childrenOf(head);
  const type = ebml === undefined ? undefined : childrenOf(ebml.content).find(({ id }) => id === ID.docType)?.content;
  const name = type === undefined ? 'matroska' : UTF8.decode(type.subarray(0, 16)).split('\0', 1)[0];
  return name === 'webm' || name === 'matroska' ? name : undefined;
}
