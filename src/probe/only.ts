/** The input of a program that gets one piece of bytes. */
export async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
