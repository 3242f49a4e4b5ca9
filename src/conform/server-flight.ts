/** The first flight of a TLS 1.2 server, read without a TLS client: it comes in plain text (RFC 5246 7.4). */
import { hex } from './media.js';
import type { Line } from './peer.js';
import type { Trial } from './trial.js';
import { joined } from './wire.js';

export interface ServerFlight {
  readonly requestsCertificate: boolean;
  /** Algorithm of the ServerKeyExchange, four hexadecimal digits (RFC 8446 4.2.3). */
  readonly signature: string;
}

const HANDSHAKE_RECORD = 22;
const SERVER_KEY_EXCHANGE = 12;
const CERTIFICATE_REQUEST = 13;
const SERVER_HELLO_DONE = 14;

/** Sends a ClientHello with these signature algorithms, in order of preference, and reads up to ServerHelloDone. */
export async function serverFlight(line: Line, trial: Trial, algorithms: readonly string[]): Promise<ServerFlight> {
  trial.notes.sent.push(`a ClientHello of TLS 1.2 with signature algorithms ${algorithms.join(', ')}`);
  await line.send(clientHello(algorithms));
  let received: Uint8Array = new Uint8Array(0);
  for (;;) {
    const messages = handshakeMessages(received);
    if (messages.some(([type]) => type === SERVER_HELLO_DONE)) {
      const exchange = messages.find(([type]) => type === SERVER_KEY_EXCHANGE)?.[1];
      if (exchange === undefined) trial.undecided('the server chose a suite without ECDHE');
      const at = 4 + (exchange[3] ?? 0);
      const signature = Buffer.from(exchange.subarray(at, at + 2)).toString('hex');
      return { requestsCertificate: messages.some(([type]) => type === CERTIFICATE_REQUEST), signature };
    }
    const bytes = await line.receive(trial.timeoutMs);
    if (bytes === undefined) trial.undecided('the server did not answer a ClientHello of TLS 1.2');
    received = joined(received, bytes);
  }
}

function clientHello(algorithms: readonly string[]): Uint8Array {
  const list = algorithms.join('');
  const size = (digits: string, bytes: number) => (digits.length / 2).toString(16).padStart(2 * bytes, '0');
  const withSize = (digits: string, bytes: number) => size(digits, bytes) + digits;
  const extensions = [
    `000d${withSize(withSize(list, 2), 2)}`,
    `000a${withSize(withSize('001d00170018', 2), 2)}`,
    `000b${withSize(withSize('00', 1), 2)}`,
    'ff01000100',
  ].join('');
  const suites = 'c02fc02bc030c02cc013c009';
  const body = `0303${'5a'.repeat(32)}00${withSize(suites, 2)}0100${withSize(extensions, 2)}`;
  return hex(`160301${withSize(`01${withSize(body, 3)}`, 2)}`);
}

/** Complete handshake messages of complete records. */
function handshakeMessages(bytes: Uint8Array): [number, Uint8Array][] {
  const view = Buffer.from(bytes);
  const parts: Uint8Array[] = [];
  for (let at = 0; at + 5 <= view.length; at += 5 + view.readUInt16BE(at + 3)) {
    const end = at + 5 + view.readUInt16BE(at + 3);
    if (view[at] === HANDSHAKE_RECORD && end <= view.length) parts.push(view.subarray(at + 5, end));
  }
  const all = Buffer.concat(parts);
  const messages: [number, Uint8Array][] = [];
  for (let at = 0; at + 4 <= all.length; at += 4 + all.readUIntBE(at + 1, 3)) {
    const end = at + 4 + all.readUIntBE(at + 1, 3);
    if (end <= all.length) messages.push([all[at] ?? 0, all.subarray(at + 4, end)]);
  }
  return messages;
}
