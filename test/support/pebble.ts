/** Pebble, an ACME authority for tests, with a name server that answers 127.0.0.1 for every name. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeAuthority, makeServerCertificate } from '../../src/config/certificates/authority.js';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

export class Pebble {
  readonly directory: string;
  /** Of its own HTTPS port, for NODE_EXTRA_CA_CERTS. */
  readonly authorityFile: string;
  /** The port on which it expects the answers to HTTP-01. */
  readonly httpPort: number;
  readonly #folder: string;
  readonly #children: readonly ChildProcess[];

  static async start(): Promise<Pebble> {
    const folder = mkdtempSync(join(tmpdir(), 'airlock-pebble-'));
    const names = ['localhost', '127.0.0.1'];
    const authority = await makeAuthority(names, Date.now());
    const { certificate, privateKey } = await makeServerCertificate(authority, names, Date.now());
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    const [port, management, httpPort, dns, dnsManagement] = await Promise.all(Array.from({ length: 5 }, freePort));
    const config = file(
      'config.json',
      JSON.stringify({
        pebble: {
          listenAddress: `127.0.0.1:${port}`,
          managementListenAddress: `127.0.0.1:${management}`,
          certificate: file('server.crt', certificate),
          privateKey: file('server.key', privateKey),
          httpPort,
          tlsPort: httpPort,
          ocspResponderURL: '',
          externalAccountBindingRequired: false,
        },
      }),
    );
    const names4 = ['-defaultIPv4', '127.0.0.1', '-defaultIPv6', '', '-dns01', `127.0.0.1:${dns}`];
    const off = ['-http01', '', '-https01', '', '-tlsalpn01', '', '-management', `127.0.0.1:${dnsManagement}`];
    const nameServer = spawn('pebble-challtestsrv', [...names4, ...off], { stdio: 'ignore' });
    const pebble = spawn('pebble', ['-config', config, '-dnsserver', `127.0.0.1:${dns}`], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, PEBBLE_VA_NOSLEEP: '1' },
    });
    await new Promise<void>((resolve, reject) => {
      let text = '';
      const read = (bytes: Buffer): void => {
        text += bytes.toString();
        if (text.includes('ACME directory available')) resolve();
      };
      pebble.stdout.on('data', read);
      pebble.stderr.on('data', read);
      pebble.once('error', reject);
      pebble.once('exit', (code) => reject(new Error(`pebble ended with ${code}: ${text}`)));
    });
    const authorityFile = file('ca.crt', authority.certificate);
    return new Pebble(folder, [pebble, nameServer], { port: port ?? 0, httpPort: httpPort ?? 0, authorityFile });
  }

  private constructor(
    folder: string,
    children: readonly ChildProcess[],
    at: { readonly port: number; readonly httpPort: number; readonly authorityFile: string },
  ) {
    this.#folder = folder;
    this.#children = children;
    this.directory = `https://localhost:${at.port}/dir`;
    this.authorityFile = at.authorityFile;
    this.httpPort = at.httpPort;
  }

  async stop(): Promise<void> {
    await Promise.all(
      this.#children.map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill('SIGKILL');
        await once(child, 'exit');
      }),
    );
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
