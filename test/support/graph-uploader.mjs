// Runs facebook-api-video-upload in a process of its own, as published but for the address of the server, which it has no
// setting for. Arguments: the server, and its parameters as JSON; files are given by path. Writes its answer as JSON.
import { createReadStream, readFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';

const ADDRESS = "'https://graph-video.facebook.com'";
const [server, text] = process.argv.slice(2);
const path = createRequire(import.meta.url).resolve('facebook-api-video-upload');
const source = readFileSync(path, 'utf8');
if (source.split(ADDRESS).length !== 2) throw new Error('the client does not name its server as it did');

const client = new Module(path);
client.filename = path;
client.paths = Module._nodeModulePaths(dirname(path));
client._compile(source.replace(ADDRESS, JSON.stringify(server)), path);

const { stream, thumb, ...parameters } = JSON.parse(text);
const image = thumb && { value: createReadStream(thumb), options: { filename: 'thumb.jpg', contentType: 'image/jpg' } };
const answer = await client.exports({
  ...parameters,
  stream: createReadStream(stream),
  ...(thumb ? { thumb: image } : {}),
});
process.stdout.write(JSON.stringify(answer));
