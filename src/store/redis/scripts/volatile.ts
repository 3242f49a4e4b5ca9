/**
 * Groups of short-lived values: a hash of member to `end|json`, by the clock of Redis in ms, and its members in the order in
 * which they were set, with scores of at least their end. A group expires with its last value.
 */
import { script } from './script.js';

const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/** KEYS: hash, ends. ARGV: member, json, ttl (ms), most members. Removes at most 100 that ended, besides those over the limit. */
export const SET_IN_GROUP = script(`${NOW}
local function drop(members)
  for _, member in ipairs(members) do
    redis.call('HDEL', KEYS[1], member)
    redis.call('ZREM', KEYS[2], member)
  end
end
local last = now + ARGV[3]
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', last) .. '|' .. ARGV[2])
local newest = redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')
redis.call('ZADD', KEYS[2], math.max(last, tonumber(newest[2] or '0') + 1), ARGV[1])
drop(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 100))
local over = redis.call('ZCARD', KEYS[2]) - ARGV[4]
if over > 0 then drop(redis.call('ZRANGE', KEYS[2], 0, over - 1)) end
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) < tonumber(ARGV[3]) then redis.call('PEXPIRE', key, ARGV[3]) end
end
`);

/** KEYS: hash. ARGV: member. Returns the JSON, or nil once it has ended. */
export const GET_IN_GROUP = script(`${NOW}
local held = redis.call('HGET', KEYS[1], ARGV[1])
if not held then return false end
local last, text = string.match(held, '^(%d+)|(.*)$')
return tonumber(last) > now and text
`);
