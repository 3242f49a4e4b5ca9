/** Messages of one subject between the web process and the processes that it queries: ingest, media. */
import type { Peer, Role } from '../supervisor/messages.js';
import type { RoleLink } from './link.js';

export interface WorkerChannel<To extends object, From extends object> {
  /** Processes that are reachable now. */
  ids(): number[];
  send(id: number, message: To): void;
  sendAll(message: To): void;
  onMessage(listener: (id: number, message: From) => void): void;
  onGone(listener: (id: number) => void): void;
}

/** The side of the web process. */
export function workerChannel<To extends object, From extends object>(
  link: RoleLink,
  subject: string,
  roles: readonly Role[] = ['ingest'],
): WorkerChannel<To, From> {
  const ids = () => roles.flatMap((role) => link.peers(role).map(({ id }: Peer) => id));
  return {
    ids,
    send: (id, message) => link.send(id, subject, message),
    sendAll: (message) => {
      for (const role of roles) link.send(role, subject, message);
    },
    onMessage: (listener) => link.onMessage(subject, (from, body) => listener(from, body as From)),
    onGone: (listener) => link.onGone(listener),
  };
}

/** The side of another process. */
export function channelToWeb<To extends object, From extends object>(link: RoleLink, subject: string) {
  return {
    send: (message: From): void => link.send('web', subject, message),
    receive: (take: (message: To) => void): void => link.onMessage(subject, (_from, body) => take(body as To)),
  };
}
