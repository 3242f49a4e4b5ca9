/**
 * The error log of one broadcast. KEYS[1] is its base; its keys are
 *   h head (total, open, uncounted, lastRevision, latestMs, behindMs, keepUntilMs, deleted), f fence to last number,
 *   r sequence to `revision|severity|timeMs|open|json`, i record id to sequence, v by revision, o open ones,
 *   s by severity (all scores 0: severity, bar, sequence in eight digits), t by time.
 * `latestMs` never goes back with the sequence and `behindMs` is by how much a record's own time was ever behind it, so
 * that a bound on time is a bound on sequence.
 */
import { script } from '../script.js';

const COMMON = `
local base = KEYS[1]
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function whole(value) return string.format('%.0f', value) end
local function head(name) return tonumber(redis.call('HGET', base .. ':h', name) or '0') end
local function keep(keptMs)
  local untilMs = whole(math.max(now() + keptMs, head('keepUntilMs')))
  for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 'o', 's', 't'}) do
    redis.call('PEXPIREAT', base .. ':' .. kind, untilMs)
  end
end
`;

/**
 * ARGV: kept for (ms), most records, 1 to refuse gaps; then eight for each entry: fence, number, change, record id,
 * severity, time (ms), 1 when open, json. Answers {index of entry, sequence, revision, …} of the records that changed, or
 * {'GAP', fence, last number applied} and then nothing was done.
 */
export const APPEND = script(`${COMMON}
local keptMs, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local count = (#ARGV - 3) / 8
local function field(i, n) return ARGV[3 + (i - 1) * 8 + n] end
if redis.call('HGET', base .. ':h', 'deleted') then return {} end

local applied = {}
local function last(fence)
  if not applied[fence] then applied[fence] = tonumber(redis.call('HGET', base .. ':f', fence) or '0') end
  return applied[fence]
end
if ARGV[3] == '1' then
  local seen = {}
  for i = 1, count do
    local fence, number = field(i, 1), tonumber(field(i, 2))
    local before = seen[fence] or last(fence)
    if number > before + 1 then return {'GAP', fence, whole(last(fence))} end
    seen[fence] = math.max(before, number)
  end
end

local total, open, uncounted = head('total'), head('open'), head('uncounted')
local revision, latestMs, behindMs = head('lastRevision'), head('latestMs'), head('behindMs')
local changed = {}
for i = 1, count do
  local fence, number = field(i, 1), tonumber(field(i, 2))
  if number > last(fence) then
    applied[fence] = number
    local id, severity, timeMs, isOpen = field(i, 4), field(i, 5), field(i, 6), field(i, 7)
    local sequence = tonumber(redis.call('HGET', base .. ':i', id) or '0')
    if sequence == 0 and total >= most then
      if field(i, 3) == 'raised' then uncounted = uncounted + 1 end
    else
      revision = revision + 1
      if sequence == 0 then
        total = total + 1
        sequence = total
        latestMs = math.max(latestMs, tonumber(timeMs))
        behindMs = math.max(behindMs, latestMs - tonumber(timeMs))
        redis.call('HSET', base .. ':i', id, sequence)
        redis.call('ZADD', base .. ':t', whole(latestMs), string.format('%08d', sequence))
        redis.call('ZADD', base .. ':s', 0, severity .. '|' .. string.format('%08d', sequence))
        if isOpen == '1' then
          open = open + 1
          redis.call('ZADD', base .. ':o', sequence, sequence)
        end
      else
        local former = redis.call('HGET', base .. ':r', sequence)
        local formerSeverity, wasOpen = string.match(former, '^%d+|([^|]*)|%d+|(%d)|')
        if formerSeverity ~= severity then
          redis.call('ZREM', base .. ':s', formerSeverity .. '|' .. string.format('%08d', sequence))
          redis.call('ZADD', base .. ':s', 0, severity .. '|' .. string.format('%08d', sequence))
        end
        if wasOpen ~= isOpen and isOpen == '1' then
          open = open + 1
          redis.call('ZADD', base .. ':o', sequence, sequence)
        elseif wasOpen ~= isOpen then
          open = open - 1
          redis.call('ZREM', base .. ':o', sequence)
        end
      end
      redis.call('ZADD', base .. ':v', revision, sequence)
      local state = revision .. '|' .. severity .. '|' .. timeMs .. '|' .. isOpen
      redis.call('HSET', base .. ':r', sequence, state .. '|' .. field(i, 8))
      changed[#changed + 1] = i
      changed[#changed + 1] = sequence
      changed[#changed + 1] = revision
    end
  end
end
for fence, number in pairs(applied) do redis.call('HSET', base .. ':f', fence, whole(number)) end
redis.call('HSET', base .. ':h', 'total', total, 'open', open, 'uncounted', uncounted, 'lastRevision', revision,
  'latestMs', whole(latestMs), 'behindMs', whole(behindMs))
keep(keptMs)
return changed
`);

/**
 * ARGV: 'sequence' or 'revision'; walk (low, high, 1 for ascending, count); probe (the same four); severity or '';
 * '1', '0' or '' for open; least and greatest time or ''. Bounds are inclusive. Answers {sequence, row, …} of the walk and
 * the number of rows that the probe found.
 */
export const RECORD_PAGE = script(`${COMMON}
local by, severity, wanted = ARGV[1], ARGV[10], ARGV[11]
local since, till = tonumber(ARGV[12]), tonumber(ARGV[13])
local STEP = 256

local function matches(row)
  local rowSeverity, timeMs, isOpen = string.match(row, '^%d+|([^|]*)|(%d+)|(%d)|')
  if severity ~= '' and rowSeverity ~= severity then return false end
  if wanted ~= '' and isOpen ~= wanted then return false end
  timeMs = tonumber(timeMs)
  return not (since and timeMs < since) and not (till and timeMs > till)
end

local function step(low, high, ascending)
  if by == 'revision' or wanted == '1' then
    local key = base .. (by == 'revision' and ':v' or ':o')
    if ascending then return redis.call('ZRANGEBYSCORE', key, whole(low), whole(high), 'LIMIT', 0, STEP) end
    return redis.call('ZREVRANGEBYSCORE', key, whole(high), whole(low), 'LIMIT', 0, STEP)
  end
  local found = {}
  if severity ~= '' then
    local least = '[' .. severity .. '|' .. string.format('%08d', low)
    local greatest = '[' .. severity .. '|' .. string.format('%08d', high)
    local rows
    if ascending then rows = redis.call('ZRANGEBYLEX', base .. ':s', least, greatest, 'LIMIT', 0, STEP)
    else rows = redis.call('ZREVRANGEBYLEX', base .. ':s', greatest, least, 'LIMIT', 0, STEP) end
    for i = 1, #rows do found[i] = tostring(tonumber(string.sub(rows[i], -8))) end
    return found
  end
  for i = 1, math.min(STEP, high - low + 1) do
    found[i] = tostring(ascending and low + i - 1 or high - i + 1)
  end
  return found
end

local function walk(low, high, ascending, count)
  if by == 'sequence' then
    low, high = math.max(low, 1), math.min(high, head('total'))
    if since then
      local first = redis.call('ZRANGEBYSCORE', base .. ':t', whole(since), '+inf', 'LIMIT', 0, 1)[1]
      low = first and math.max(low, tonumber(first)) or high + 1
    end
    if till then
      local past = whole(till + head('behindMs'))
      local last = redis.call('ZREVRANGEBYSCORE', base .. ':t', past, '-inf', 'LIMIT', 0, 1)[1]
      high = last and math.min(high, tonumber(last)) or 0
    end
  end
  local found, size = {}, 0
  while low <= high and size < count do
    local sequences = step(low, high, ascending)
    if #sequences == 0 then break end
    local rows = redis.call('HMGET', base .. ':r', unpack(sequences))
    for i = 1, #sequences do
      local row = rows[i]
      if row then
        local place = tonumber(by == 'revision' and string.match(row, '^(%d+)|') or sequences[i])
        if ascending then low = place + 1 else high = place - 1 end
        if matches(row) then
          size = size + 1
          found[size] = {sequences[i], row, place}
          if size >= count then break end
        end
      end
    end
    if #sequences < STEP then break end
  end
  return found
end

local rows = walk(tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', tonumber(ARGV[5]))
local low, high, ascending = tonumber(ARGV[6]), tonumber(ARGV[7]), ARGV[8] == '1'
if rows[1] then
  if ascending then low = rows[1][3] + 1 else high = rows[1][3] - 1 end
end
local probed = walk(low, high, ascending, tonumber(ARGV[9]))
local flat = {}
for i = 1, #rows do
  flat[#flat + 1] = rows[i][1]
  flat[#flat + 1] = rows[i][2]
end
return {flat, #probed}
`);

/** ARGV: record id. Answers {sequence, row} or nothing. */
export const RECORD_BY_ID = script(`
local sequence = redis.call('HGET', KEYS[1] .. ':i', ARGV[1])
if not sequence then return {} end
return {sequence, redis.call('HGET', KEYS[1] .. ':r', sequence)}
`);

/** ARGV: how long late entries are refused (ms). */
export const DELETE_RECORDS = script(`${COMMON}
for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 'o', 's', 't'}) do redis.call('UNLINK', base .. ':' .. kind) end
redis.call('HSET', base .. ':h', 'deleted', 1)
keep(tonumber(ARGV[1]))
return 1
`);

/** ARGV: until (ms since 1970), kept for (ms). */
export const KEEP_RECORDS = script(`${COMMON}
redis.call('HSET', base .. ':h', 'keepUntilMs', whole(math.max(tonumber(ARGV[1]), head('keepUntilMs'))))
keep(tonumber(ARGV[2]))
return 1
`);
