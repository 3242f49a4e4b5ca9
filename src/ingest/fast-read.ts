/**
 * Bytes of a socket without the queue of the stream machinery. A publisher's bytes are used up at once, so there is
 * nothing to queue and nothing to push back: the record that TLS delivers goes straight to the session. Measured with
 * `npm run bench`, this is a fifth of what receiving costs (docs/decisions/0009-bytes-past-the-stream-queue.md).
 */
import type { Socket } from 'node:net';

/** Every later chunk goes to `onBytes`; the end, errors and closing stay the stream's own events. */
export function readFast(socket: Socket, onBytes: (bytes: Buffer) => void): void {
  // `push` is how any source hands a Readable its data; TLS and TCP call it on the socket itself.
  const pushToStream = socket.push.bind(socket);
  socket.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) return pushToStream(null);
    onBytes(chunk);
    return true;
  };
  socket.resume();
}
