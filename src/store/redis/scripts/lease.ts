/**
 * Leases by the clock of Redis. The value is `fence|holder`. A new fence is at least the last one plus 1 and at least the
 * time of Redis in seconds: a failover may lose the last increment, and entries of two holders with the same fence would
 * collide.
 */
import { script } from './script.js';

/** KEYS: lease, fence. ARGV: holder, ttl (ms). Returns the fence, or nil if another holder has the lease. */
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

/** KEYS: lease, fence. ARGV: `fence|holder` of the silent holder, new holder, ttl (ms). Returns the new fence, or nil. */
export const TAKE_OVER = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return false end
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local former = tonumber(string.match(ARGV[1], '^%d+'))
local fence = string.format('%.0f', math.max(last + 1, former + 1, tonumber(redis.call('TIME')[1])))
redis.call('SET', KEYS[2], fence)
redis.call('SET', KEYS[1], fence .. '|' .. ARGV[2], 'PX', ARGV[3])
return fence
`);

/** KEYS: lease. ARGV: `fence|holder`, ttl (ms). */
export const RENEW = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** Reclaims an expired lease if its fence is the last one. KEYS: lease, fence. ARGV: `fence|holder`, ttl (ms), fence. */
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
