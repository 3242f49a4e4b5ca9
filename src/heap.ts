/**
 * The server's heap, set before anything else is loaded: the young generation does not grow. What TLS delivers lives outside
 * the heap and is freed when its small wrapper is collected; a young generation of 16 MB collects so seldom that hundreds of
 * megabytes pile up and V8 marks the whole heap instead, many times a minute (docs/decisions/0011-a-small-young-generation.md).
 */
import { setFlagsFromString } from 'node:v8';

if (process.argv[2] === 'serve') setFlagsFromString('--semi-space-growth-factor=1');
