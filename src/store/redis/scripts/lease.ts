/**
 * Leases on Redis's own clock. The value is `fence|holder`. A new fence is one above the last and never below the second
 * of Redis's clock: a failover may lose the last increment, and two holders with one fence would mix their journals up.
 */
import { script } from './script.js';

/** KEYS: lease, fence. ARGV: holder, ttl (ms). Answers the fence, or nothing when somebody else holds it. */
export const ACQUIRE = script(`
local current = redis.call('GET', KEYS[1])
if current then
  local fence, holder = string.match(current, '^(%d+)|(.*)$')
  if holder ~= ARGV[1] then return false end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return fence
end
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local fence = string.format('%.0f', math.max(last + 1, tonumber(redis.call('TIME')[1])))
redis.call('SET', KEYS[2], fence)
redis.call('SET', KEYS[1], fence .. '|' .. ARGV[1], 'PX', ARGV[2])
return fence
`);

/** KEYS: lease. ARGV: `fence|holder`, ttl (ms). */
export const RENEW = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** KEYS: lease, fence. ARGV: `fence|holder`, ttl (ms), fence. A lease that ran out is taken back if its fence is the last. */
export const RECLAIM = script(`
local current = redis.call('GET', KEYS[1])
if current and current ~= ARGV[1] then return 0 end
if redis.call('GET', KEYS[2]) ~= ARGV[3] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
`);

/** KEYS: lease. ARGV: `fence|holder`. */
export const RELEASE = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`);
