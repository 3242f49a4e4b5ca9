/** A peer that accepts connections and reads nothing from them. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { SocketPeer } from '../../../../src/conform/socket-peer.js';

test('a peer that reads nothing is not waited for without end', async () => {
  const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const tcUrl = `rtmp://127.0.0.1:${port}/live`;
  const peer = new SocketPeer({ host: '127.0.0.1', port, isSecure: false, app: 'live', tcUrl, insecure: false });
  const [line, [accepted]] = await Promise.all([peer.open(), once(server, 'connection')]);
  await expect(line.send(new Uint8Array(16 * 1024 * 1024))).rejects.toMatchObject({
    code: 'CONFORM_UNMET',
    came: 'nothing was read for 3 s',
  });
  line.close('drop');
  accepted.destroy();
  server.close();
});
