// CPU seconds and resident memory of processes, from the kernel's own books (proc(5)).
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** The fields behind the name, from the state on. */
const statOf = (pid) =>
  readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');

export function cpuSeconds(pid) {
  const [user, system] = statOf(pid).slice(11, 13).map(Number);
  return (user + system) / TICKS_PER_SECOND;
}

/** With its children that have ended, and theirs. 0 if it has ended itself: its parent has its time then. */
function cpuSecondsWithEnded(pid) {
  try {
    const all = statOf(pid).slice(11, 15).map(Number);
    return all.reduce((sum, ticks) => sum + ticks, 0) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}

/** What `ps` shows of a process; empty if it has ended: a tool of the server may do so at any time. */
export function titleOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

/** `files`: pages of mapped files among the resident ones, which the kernel takes back when it needs them. */
export function residentMb(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mb = (name) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { all: mb('VmRSS'), files: mb('RssFile') };
}

/** The memory of each process of a server. `sharedOnce`: pages of several processes count in parts, and the sum has them once. */
export function memoryOf(server) {
  return server.carriers().map((pid) => {
    const { all, files } = residentMb(pid);
    const [, kb] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    const role = /^airlock-(\w+)/.exec(titleOf(pid))?.[1] ?? String(pid);
    return { role, residentMb: all, filesMb: files, privateMb: all - files, sharedOnceMb: Number(kb) / 1024 };
  });
}

/** A process and all that it has started, and they. */
export function family(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      parents.set(Number(name), Number(statOf(name)[1]));
    } catch {
      // It has ended meanwhile.
    }
  }
  const members = [pid];
  for (const member of members) for (const [child, parent] of parents) if (parent === member) members.push(child);
  return members;
}

/** CPU seconds of all processes of the machine, and of its guests' hosts where they took them (steal). */
function machineCpuSeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .replace(/^cpu\s+/, '')
    .split(' ')
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

const sum = (values) => values.reduce((total, value) => total + value, 0);

/** A look at a server: the processes that carry streams, and all that it runs. */
export function look(server) {
  const carriers = server.carriers();
  const all = server.roots.flatMap(family);
  const carrying = sum(carriers.map(cpuSeconds));
  const resident = carriers.map(residentMb);
  return {
    carrying,
    tools: sum(all.map(cpuSecondsWithEnded)) - carrying,
    memoryMb: sum(resident.map(({ all }) => all)),
    filesMb: sum(resident.map(({ files }) => files)),
    machine: machineCpuSeconds(),
  };
}

export const nextMessage = (child, key) =>
  new Promise((resolve, reject) => {
    const listen = (message) => {
      if (!(key in message)) return;
      child.off('message', listen);
      child.off('exit', ended);
      resolve(message[key]);
    };
    const ended = (code) => {
      const fail = () => reject(new Error(`the process ended with ${code} before it said "${key}"`));
      // Its last message may still be unread.
      if (child.connected) child.once('disconnect', fail);
      else fail();
    };
    child.on('message', listen);
    child.once('exit', ended);
  });

export function median(values) {
  const sorted = values.filter((value) => value !== undefined).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}
