/**
 * The child process: node-media-server on free ports of 127.0.0.1, for the parent process only. Only its two listeners
 * run; its admin API, web interface, file server, recorder and relay stay off.
 */
import { createRequire } from 'node:module';
import type { Server } from 'node:net';
import { portOf } from '../../lib/sockets.js';
import type { FromChild, ToChild } from '../context/child-messages.js';

/** The parts of the package that are used. The package ships no types. */
interface NodeMediaServer {
  readonly httpServer: { readonly httpServer: Server; run(): void };
  readonly rtmpServer: { readonly tcpServer: Server; run(): void };
}
type NodeMediaServerClass = new (config: object) => NodeMediaServer;
interface Logger {
  log(message: string, level?: string): void;
}

const MESSAGE_LENGTH = 500;

function send(message: FromChild, then?: () => void): void {
  if (process.send === undefined || !process.connected) then?.();
  else process.send(message, () => then?.());
}

function fail(error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  send({ type: 'error', message: text.slice(0, MESSAGE_LENGTH) }, () => process.exit(1));
}

function start(secret: string): void {
  const load = createRequire(import.meta.url);
  const logger: Logger = load('node-media-server/src/core/logger.js');
  logger.log = (message, level) => {
    if (level === 'error') send({ type: 'error', message: message.slice(0, MESSAGE_LENGTH) });
  };
  const Server: NodeMediaServerClass = load('node-media-server');
  const server = new Server({
    bind: '127.0.0.1',
    // Strings: node-media-server takes the number 0 for "no listener"; the string makes `listen` choose a free port.
    rtmp: { port: '0' },
    http: { port: '0' },
    auth: { publish: true, play: true, secret },
    webadmin: { enable: false },
  });
  // Not its own `run`, which would also open a file store and start the recorder, the relay and the notifier.
  server.httpServer.run();
  server.rtmpServer.run();
  const listeners = [server.httpServer.httpServer, server.rtmpServer.tcpServer];
  const ready = (): void => {
    const [httpPort, rtmpPort] = listeners.map(portOf);
    if (httpPort !== undefined && rtmpPort !== undefined) send({ type: 'ready', httpPort, rtmpPort });
  };
  for (const listener of listeners) listener.once('listening', ready);
}

process.title = 'airlock-playback';

// The state may be corrupt after an uncaught error: exit. The supervisor starts a new child within a fraction of a second.
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);
// A terminal or service manager signals the whole process group; this process exits when its parent does.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit(0));
process.on('message', (message: ToChild) => {
  if (message.type === 'start') start(message.secret);
  else send({ type: 'pong' });
});
