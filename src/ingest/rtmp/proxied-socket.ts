/** Takes the PROXY header off a fresh connection of a trusted proxy, before anything else looks at its bytes. */
import type { Socket } from 'node:net';
import { WireError } from '../../bytes/wire-error.js';
import { CONNECTION_LIMITS } from './limits.js';
import { readProxyHeader } from './proxy-header.js';

/**
 * `onReady` gets the client's address (the proxy's own for LOCAL) with the socket paused behind the header, `onFault` the
 * reason when no header came in time or what came was none; the socket is destroyed then.
 */
export function takeProxyHeader(
  socket: Socket,
  onReady: (address: string) => void,
  onFault: (code: string) => void,
): void {
  const timer = setTimeout(() => fail('PROXY_HEADER_LATE'), CONNECTION_LIMITS.proxyHeaderMs);
  const settle = (): void => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('close', onClose);
  };
  const fail = (code: string): void => {
    settle();
    socket.destroy();
    onFault(code);
  };
  const onClose = (): void => fail('PROXY_HEADER_MISSING');
  // Not given back to the socket while it is short: that would wake this listener again at once.
  let held: Buffer = Buffer.alloc(0);
  const onReadable = (): void => {
    const bytes: Buffer | null = socket.read();
    if (bytes === null) return;
    held = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
    try {
      const header = readProxyHeader(held);
      if (header === undefined) return;
      settle();
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
