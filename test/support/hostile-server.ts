/** HTTP servers on raw sockets, each of which keeps or breaks the protocol in a way of its own. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

export interface Manner {
  /** What a client must make of it: the whole body, a fault of this call, or either where the network decides. */
  readonly gives: 'body' | 'fault' | 'either';
  readonly answer: (socket: Socket, body: Buffer) => void;
}

/** Pause between two bytes of a server that trickles. */
const TRICKLE_MS = 20;

const head = (length: number | undefined, version = '1.1', more = 'Connection: close\r\n'): string =>
  `HTTP/${version} 200 OK\r\nContent-Type: application/json\r\n${length === undefined ? '' : `Content-Length: ${length}\r\n`}${more}\r\n`;
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';
const chunk = (body: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')]);

/** Writes without end, at the pace of the reader; the parts are large, so that this process does more than write them. */
function flood(socket: Socket, part: string | Buffer): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(part));
  };
  socket.on('drain', more);
  more();
}

function trickle(socket: Socket, text: string): void {
  let at = 0;
  const timer = setInterval(() => socket.write(text[at++ % text.length] ?? ''), TRICKLE_MS);
  socket.on('close', () => clearInterval(timer));
}

export const MANNERS: Readonly<Record<string, Manner>> = {
  'HTTP/1.0 with Connection: close': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(body.length, '1.0')), body])),
  },
  'HTTP/1.0 without a length': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(undefined, '1.0')), body])),
  },
  'HTTP/1.1 that closes after the body': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(body.length)), body])),
  },
  'HTTP/1.1 without a length': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(undefined)), body])),
  },
  'chunks, then a close': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(chunked), chunk(body), Buffer.from('0\r\n\r\n')])),
  },
  'a connection that stays open': {
    gives: 'body',
    answer: (socket, body) => {
      socket.write(head(body.length, '1.1', ''));
      socket.write(body);
    },
  },
  'a body in two parts with the close in between': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write(head(body.length));
      socket.end(body.subarray(0, body.length >> 1));
    },
  },
  'a close before the request': { gives: 'fault', answer: (socket) => socket.destroy() },
  'a close before the answer': { gives: 'fault', answer: (socket) => socket.end() },
  'a close within the status line': { gives: 'fault', answer: (socket) => socket.end('HTTP/1.1 2') },
  'a close within the headers': { gives: 'fault', answer: (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Le') },
  'a reset at once': { gives: 'fault', answer: (socket) => socket.resetAndDestroy() },
  'a reset after the headers': {
    gives: 'fault',
    answer: (socket, body) => socket.write(head(body.length), () => socket.resetAndDestroy()),
  },
  'a reset within the body': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write(head(body.length));
      socket.write(body.subarray(0, -1), () => socket.resetAndDestroy());
    },
  },
  'a reset after the body': {
    gives: 'either',
    answer: (socket, body) => {
      socket.write(head(body.length));
      socket.write(body, () => socket.resetAndDestroy());
    },
  },
  'more than its length': {
    gives: 'body',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(body.length)), body, body])),
  },
  'a second answer that nobody asked for': {
    gives: 'body',
    answer: (socket, body) =>
      socket.end(
        Buffer.concat([Buffer.from(head(body.length, '1.1', '')), body, Buffer.from(head(body.length)), body]),
      ),
  },
  'less than its length': {
    gives: 'fault',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(body.length + 1)), body])),
  },
  'two lengths': {
    gives: 'fault',
    answer: (socket, body) =>
      socket.end(
        Buffer.concat([Buffer.from(head(body.length, '1.1', `Content-Length: ${body.length - 1}\r\n`)), body]),
      ),
  },
  'a length below zero': {
    gives: 'fault',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(head(-1)), body])),
  },
  'a length beyond all numbers': {
    gives: 'fault',
    answer: (socket, body) =>
      socket.end(Buffer.concat([Buffer.from(head(undefined, '1.1', `Content-Length: ${'9'.repeat(40)}\r\n`)), body])),
  },
  'a length and chunks': {
    gives: 'fault',
    answer: (socket, body) =>
      socket.end(
        Buffer.concat([
          Buffer.from(head(5, '1.1', 'Transfer-Encoding: chunked\r\n')),
          chunk(body),
          Buffer.from('0\r\n\r\n'),
        ]),
      ),
  },
  'garbage for the size of a chunk': {
    gives: 'fault',
    answer: (socket, body) =>
      socket.end(Buffer.concat([Buffer.from(chunked), chunk(body), Buffer.from('zz\r\n\u0000\r\n')])),
  },
  'chunks without an end': {
    gives: 'fault',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(chunked), chunk(body)])),
  },
  'a chunk that is cut': {
    gives: 'fault',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from(chunked), chunk(body).subarray(0, -100)])),
  },
  'garbage for a status line': { gives: 'fault', answer: (socket) => socket.end('SSH-2.0-OpenSSH_9.2p1\r\n\r\n') },
  'binary garbage': {
    gives: 'fault',
    answer: (socket, body) => socket.end(Buffer.concat([Buffer.from([0x16, 3, 1, 0, 255, 0, 0]), body])),
  },
  'a status that is no number': { gives: 'fault', answer: (socket) => socket.end('HTTP/1.1 abc OK\r\n\r\n') },
  'headers without end': {
    gives: 'fault',
    answer: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      flood(socket, `X: ${'x'.repeat(1_000)}\r\n`.repeat(100));
    },
  },
  'interim answers without end': {
    gives: 'fault',
    answer: (socket) => flood(socket, 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)),
  },
  'another protocol': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n');
      socket.write(body);
    },
  },
  'a body without end': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write(head(undefined));
      flood(socket, body);
    },
  },
  'chunks of a body without end': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write(chunked);
      flood(socket, chunk(body));
    },
  },
  'a silence': { gives: 'fault', answer: () => undefined },
  'a silence after the headers': { gives: 'fault', answer: (socket, body) => socket.write(head(body.length)) },
  'headers that trickle': {
    gives: 'fault',
    answer: (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      trickle(socket, 'X-A: b\r\n');
    },
  },
  'a body that trickles': {
    gives: 'fault',
    answer: (socket, body) => {
      socket.write(head(body.length));
      trickle(socket, ' ');
    },
  },
};

export interface HostileServer {
  readonly port: number;
  /** A URL whose path chooses the manner. */
  url(manner: string): string;
  close(): Promise<void>;
}

/** The part of a path that chooses a manner. */
export const pathOf = (manner: string): string => manner.replace(/[^A-Za-z0-9]+/g, '-');

/** The path chooses the manner, whatever the method; `body` is what a whole answer holds. */
export async function startHostileServer(body: Buffer, host = '127.0.0.1'): Promise<HostileServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', (request) => {
      const path = /^\S+ (\S+)/.exec(request.toString('latin1'))?.[1] ?? '';
      const name = Object.keys(MANNERS).find((each) => path.split('/').includes(pathOf(each)));
      if (name === undefined) socket.destroy(new Error(`no manner in ${path}`));
      else MANNERS[name]?.answer(socket, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: (manner) => `http://${host}:${port}/${pathOf(manner)}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
