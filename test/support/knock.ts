/** A client that connects again and again, one connection after the other. */
import { connect } from 'node:net';

/** Opens connections until it is stopped; counts those that were refused. */
export function knock(port: number): { stop: () => Promise<{ opened: number; refused: number }> } {
  const counts = { opened: 0, refused: 0 };
  let isStopped = false;
  const done = (async () => {
    while (!isStopped) {
      await new Promise<void>((resolve) => {
        const socket = connect(port, '127.0.0.1');
        socket.once('connect', () => {
          counts.opened++;
          socket.destroy();
        });
        socket.once('error', () => counts.refused++);
        socket.once('close', () => setTimeout(resolve, 20));
      });
    }
    return counts;
  })();
  return {
    stop: () => {
      isStopped = true;
      return done;
    },
  };
}
