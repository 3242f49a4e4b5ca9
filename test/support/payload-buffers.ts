import { PayloadBuffers } from '../../src/bytes/payload-buffers.js';

export const payloadBuffers = (): PayloadBuffers => new PayloadBuffers(() => new Uint8Array(64 * 1024));
