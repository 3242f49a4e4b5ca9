/**
 * The transaction over objects, edges, counters and aliases: all conditions first, then all writes. Outside a cluster
 * one call takes a complete commit. In a cluster a call spans one tag, and a commit over several tags has two phases:
 * `prepare` checks conditions and locks the tags, `apply` writes, once per transaction id however often it is retried.
 *
 * KEYS: the base key of each operation, in order. ARGV: mode, transaction id, lock time, then five for each operation:
 *   put, expected version or '', `kind|created|updated|json`, '', id
 *   delete, expected version or '', '', '', id
 *   edgeAdd, edge, member, padded score, json or ''
 *   edgeRemove, edge, member, '', ''
 *   count, counter, by, '', ''
 *   alias, id or '', '', '', alias
 * Returns OK, {CONFLICT, id}, or BUSY while another commit holds a tag.
 */
import { script } from './script.js';

export const COMMIT = script(`
local mode, txid, lockMs = ARGV[1], ARGV[2], ARGV[3]
local function field(i, n) return ARGV[3 + (i - 1) * 5 + n] end

if mode ~= 'plain' then
  local checked = true
  if mode == 'apply' and redis.call('EXISTS', KEYS[1] .. ':done:' .. txid) == 1 then return {'OK'} end
  for i = 1, #KEYS do
    local lock = redis.call('GET', KEYS[i] .. ':lock')
    if lock and lock ~= txid then return {'BUSY'} end
    if not lock then checked = false end
  end
  if mode == 'apply' and checked then mode = 'decided' end
end

if mode ~= 'decided' then
  local versions, aliases = {}, {}
  for i = 1, #KEYS do
    local op, key = field(i, 1), KEYS[i]
    if op == 'put' or op == 'delete' then
      local version = versions[key]
      if not version then
        version = tonumber(string.match(redis.call('GETRANGE', key, 0, 20), '^(%d+)|') or '0')
      end
      local expected = field(i, 2)
      if expected ~= '' and tonumber(expected) ~= version then return {'CONFLICT', field(i, 5)} end
      versions[key] = op == 'put' and version + 1 or 0
    elseif op == 'alias' then
      local taken = aliases[key]
      if taken == nil then taken = redis.call('GET', key .. ':a') or '' end
      local id = field(i, 2)
      if id ~= '' and taken ~= '' and taken ~= id then return {'CONFLICT', field(i, 5)} end
      aliases[key] = id
    end
  end
end

if mode == 'prepare' then
  for i = 1, #KEYS do redis.call('SET', KEYS[i] .. ':lock', txid, 'PX', lockMs) end
  return {'OK'}
end

for i = 1, #KEYS do
  local op, key = field(i, 1), KEYS[i]
  if op == 'put' then
    local version = tonumber(string.match(redis.call('GETRANGE', key, 0, 20), '^(%d+)|') or '0')
    redis.call('SET', key, string.format('%.0f', version + 1) .. '|' .. field(i, 3))
  elseif op == 'delete' then
    local gone = {key, key .. ':c', key .. ':edges'}
    for _, edge in ipairs(redis.call('SMEMBERS', key .. ':edges')) do
      gone[#gone + 1] = key .. ':e:' .. edge
      gone[#gone + 1] = key .. ':m:' .. edge
    end
    for _, name in ipairs(gone) do redis.call('UNLINK', name) end
  elseif op == 'edgeAdd' or op == 'edgeRemove' then
    local edge, member = field(i, 2), field(i, 3)
    local places, members = key .. ':e:' .. edge, key .. ':m:' .. edge
    local former = redis.call('HGET', members, member)
    if former then redis.call('ZREM', places, string.sub(former, 1, 16) .. member) end
    if op == 'edgeAdd' then
      local score, value = field(i, 4), field(i, 5)
      redis.call('ZADD', places, 0, score .. member)
      redis.call('HSET', members, member, value == '' and score or score .. '|' .. value)
      redis.call('SADD', key .. ':edges', edge)
    elseif former then
      redis.call('HDEL', members, member)
    end
  elseif op == 'count' then
    redis.call('HINCRBY', key .. ':c', field(i, 2), field(i, 3))
  elseif op == 'alias' then
    if field(i, 2) == '' then redis.call('DEL', key .. ':a') else redis.call('SET', key .. ':a', field(i, 2)) end
  end
end

if mode == 'apply' or mode == 'decided' then
  redis.call('SET', KEYS[1] .. ':done:' .. txid, 1, 'EX', 86400)
  for i = 1, #KEYS do
    if redis.call('GET', KEYS[i] .. ':lock') == txid then redis.call('DEL', KEYS[i] .. ':lock') end
  end
end
return {'OK'}
`);

/** KEYS: base keys of one tag. ARGV: transaction id. */
export const UNLOCK = script(`
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i] .. ':lock') == ARGV[1] then redis.call('DEL', KEYS[i] .. ':lock') end
end
return 1
`);
