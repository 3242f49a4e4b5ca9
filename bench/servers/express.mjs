// Bare Express: one handler that answers with what it was given. Prints its port.
import { readFileSync } from 'node:fs';
import express from 'express';

const body = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const app = express();
app.get(['/:id/errors', '/:id'], (_request, response) => {
  response.json(body);
});
const server = app.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.on('SIGTERM', () => process.exit(0));
