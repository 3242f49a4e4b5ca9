import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { readBody } from '../../../src/api/http/body.js';
import { ServiceError } from '../../../src/spec/service-errors.js';

const request = (...pieces: string[]): IncomingMessage =>
  Object.assign(Readable.from(pieces.map((piece) => Buffer.from(piece))), {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  }) as unknown as IncomingMessage;

const refused = expect.objectContaining({ shape: expect.objectContaining({ status: 400, code: 100 }) });

test('what the parser throws out of its depths is an error of the request, not of the process', async () => {
  // The header of the second part is cut off, and what follows it is taken for the end of one that never began.
  const pieces = [
    '--b\r\nContent-Disposition:form-data;=""\r\ne:\r\n\r\n--b\r\n\r\nn:x',
    'c\r\n--b',
    '\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b--\r\n',
  ];
  const answer = readBody(request(...pieces));
  await expect(answer).rejects.toBeInstanceOf(ServiceError);
  await expect(answer).rejects.toEqual(refused);
});

test('a file that is being received when the parser throws ends with an error', async () => {
  const ends: unknown[] = [];
  const receiver = {
    takes: () => true,
    receive: async (_field: string, source: AsyncIterable<Uint8Array>) => {
      try {
        for await (const _ of source);
        ends.push('whole');
      } catch (error) {
        ends.push(error);
        throw error;
      }
    },
  };
  const file = '--b\r\nContent-Disposition: form-data; name="source"; filename="a"\r\n\r\nabc\r\n';
  const pieces = [`${file}--b\r\nContent-Disposition:form-data;=""\r\ne:\r\n\r\n--b\r\n\r\nn:x`, 'c\r\n--b'];
  await expect(readBody(request(...pieces), receiver)).rejects.toEqual(refused);
  expect(ends).toEqual(['whole']);
});

test('a file that begins behind the end of the form and is not ended is refused, not waited for', async () => {
  const file = 'Content-Disposition: form-data; name="x"; filename="x"';
  const body = `--b--\r\n--b\r\n--b\r\n${file}\r\n\r\nabc`;
  await expect(readBody(request(body))).rejects.toEqual(refused);
});

test('what stands behind the end of the form in a piece of its own is nothing', async () => {
  const form = '--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nHello\r\n--b--\r\n';
  const { params } = await readBody(
    request(form, '--b\r\nContent-Disposition: form-data; name="x"; filename="x"\r\n\r\n'),
  );
  expect({ ...params }).toEqual({ title: 'Hello' });
});
