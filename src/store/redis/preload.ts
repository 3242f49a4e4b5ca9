/**
 * Loads the scripts into each server before any other command of its connection. A script that a server lacks is sent a
 * second time after the answer NOSCRIPT, and the calls behind it, whose scripts the server has, would overtake it.
 */
import { Cluster, type Redis } from 'ioredis';
import { ALL_SCRIPTS } from './scripts/all.js';

/** Call it before other listeners to `ready`, which may send commands at once. */
export function preloadScripts(client: Redis | Cluster): void {
  client.on('ready', () => {
    for (const server of client instanceof Cluster ? client.nodes('master') : [client]) load(server);
  });
  // ioredis connects to a lost node anew as another object. A replica gets no commands, so it needs no connection. Which
  // nodes are replicas is unknown before the cluster is ready.
  client.on('+node', (node: Redis) => {
    if (client.status === 'ready' && node.options.readOnly !== true) load(node);
  });
}

function load(server: Redis): void {
  for (const { lua } of ALL_SCRIPTS) {
    // A user without permission for it, or a server that is starting: the answer NOSCRIPT is handled at the call.
    server.script('LOAD', lua).catch(() => undefined);
  }
}
