/**
 * Jest's environment for Node, in workers that end as soon as nothing is left to do. After many files a worker has a heap of
 * 800 MB; V8 frees it object by object, 0.3 to 0.7 s beside load, and Jest waits 0.5 s before it kills the worker and warns of
 * a leak. A worker with a socket, a timer or a child left never gets here, and is still reported.
 */
import { TestEnvironment } from 'jest-environment-node';

if (process.send !== undefined) process.once('beforeExit', () => process.exit());

export default TestEnvironment;
