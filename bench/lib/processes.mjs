// What the starting of any server needs.
import { execFileSync } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';

const started = new Set();
process.once('exit', () => {
  for (const child of started) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

/** However this process ends, the child does not outlive it. */
export function ours(child) {
  started.add(child);
  child.once('exit', () => started.delete(child));
  return child;
}

export const stop = (child, signal = 'SIGKILL') =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', resolve);
    child.kill(signal);
  });

export const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

/** Resolves once the port takes connections; fails when the process ends before. */
export async function untilListening(port, child) {
  for (;;) {
    if (typeof child.exitCode === 'number') throw new Error(`it ended with ${child.exitCode} before it listened`);
    const isOpen = await new Promise((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true) || socket.destroy());
      socket.once('error', () => resolve(false));
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** A program of the PATH, or undefined. */
export function whereIs(program) {
  try {
    return execFileSync('sh', ['-c', 'command -v "$0"', program], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** A self-signed pair, for the servers that do not make their own. */
export function makeCertificate(folder) {
  const pair = { cert: join(folder, 'server.crt'), key: join(folder, 'server.key') };
  const files = ['-keyout', pair.key, '-out', pair.cert];
  const request = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'];
  const names = ['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  execFileSync('openssl', ['req', ...request, ...names, ...files], { stdio: 'ignore' });
  return pair;
}
