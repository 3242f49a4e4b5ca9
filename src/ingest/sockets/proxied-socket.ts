/** Reads the PROXY header from a new connection of a trusted proxy, before any other reader gets its bytes. */
import type { Socket } from 'node:net';
import { WireError } from '../../bytes/wire-error.js';
import { SOCKET_LIMITS } from './limits.js';
import { readProxyHeader } from './proxy-header.js';

/**
 * Calls `onReady` with the client's address (the proxy's own for LOCAL) and the socket paused behind the header, or
 * destroys the socket and calls `onFault` with a code if the header is late, missing or malformed.
 */
export function takeProxyHeader(
  socket: Socket,
  onReady: (address: string) => void,
  onFault: (code: string) => void,
): void {
  const timer = setTimeout(() => fail('PROXY_HEADER_LATE'), SOCKET_LIMITS.proxyHeaderMs);
  const stopListening = (): void => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('close', onClose);
  };
  const fail = (code: string): void => {
    stopListening();
    socket.destroy();
    onFault(code);
  };
  const onClose = (): void => fail('PROXY_HEADER_MISSING');
  // Incomplete bytes are not unshifted into the socket: that would trigger this listener again at once.
  let held: Buffer = Buffer.alloc(0);
  const onReadable = (): void => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    try {
      const header = readProxyHeader(held);
      if (header === undefined) return;
      stopListening();
      if (header.consumed < held.length) socket.unshift(held.subarray(header.consumed));
      onReady(header.address ?? socket.remoteAddress ?? '');
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      fail(error.code);
    }
  };
  socket.on('readable', onReadable);
  socket.on('close', onClose);
  socket.on('error', () => socket.destroy());
}
