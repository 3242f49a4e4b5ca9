// CPU seconds and resident memory of a process, from the kernel's own books.
import { execFileSync, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

export function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

export function residentMb(pid) {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1024;
}

export const nextMessage = (child, key) =>
  new Promise((resolve, reject) => {
    const listen = (message) => {
      if (!(key in message)) return;
      child.off('message', listen);
      resolve(message);
    };
    child.on('message', listen);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code} before it said "${key}"`)));
  });

/** Puts one load on a server and tells what a gigabyte cost it. */
export async function underLoad({ pid, port, keyFile }, load) {
  const args = [port, keyFile ?? 'blind', load.publishers, load.seconds, load.mode, load.recordBytes].map(String);
  const publishers = fork(new URL('./publishers.mjs', import.meta.url), args);
  await nextMessage(publishers, 'ready');
  const idleMb = residentMb(pid);
  const before = cpuSeconds(pid);
  publishers.send('go');
  const { sent, elapsedMs } = await nextMessage(publishers, 'sent');
  const cpu = cpuSeconds(pid) - before;
  return {
    cpuPerGb: cpu / (sent / 1e9),
    cpu,
    gigabytes: sent / 1e9,
    mbps: (sent * 8) / 1e3 / elapsedMs,
    memoryMb: residentMb(pid),
    idleMb,
  };
}
