// A process of its own: viewers of HTTP-FLV that throw away what they get. Takes one argument, as JSON: the addresses.
// Prints `ready` when each has received bytes, and `bytes` on request.
import { get } from 'node:http';

// The parent that reads the results has exited.
process.once('disconnect', () => process.exit());

const { addresses } = JSON.parse(process.argv[2]);
let bytes = 0;

const watch = (address) =>
  new Promise((resolve, reject) => {
    get(address, { agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`${response.statusCode} for a viewer`));
      response.on('data', (chunk) => {
        bytes += chunk.length;
        resolve();
      });
      response.once('close', () => reject(new Error('the server closed a viewer')));
    }).once('error', reject);
  });

await Promise.all(addresses.map(watch));
process.send({ ready: addresses.length });
process.on('message', () => process.send({ bytes }));
