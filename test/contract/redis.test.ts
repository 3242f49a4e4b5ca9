import { RedisServer } from '../support/redis-server.js';
import { redisStoreContract } from './redis-store.js';

redisStoreContract('redis', () => RedisServer.start());
