/**
 * The error log of one broadcast. KEYS[1] is its base; its keys are
 *   h head (total, open, uncounted, lastRevision, latestMs, behindMs, keepUntilMs, deleted), f fence to last number,
 *   r sequence to `revision|severity|timeMs|open|json`, i record id to sequence, t by time,
 *   x by severity and openness (all scores 0: severity or nothing, bar, 1, 0 or a for all, bar, sequence in eight digits),
 *   v the same by revision (revision in twelve digits, bar, sequence).
 * `latestMs` never decreases with the sequence, and `behindMs` is the largest lag of a record's time behind it, so that a
 * time bound is a bound on sequence.
 */
import { script } from './script.js';

const COMMON = `
local base = KEYS[1]
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function whole(value) return string.format('%.0f', value) end
local function head(name) return tonumber(redis.call('HGET', base .. ':h', name) or '0') end
local function indexed(severity, open, sequence)
  return severity .. '|' .. open .. '|' .. string.format('%08d', sequence)
end
local function changed(severity, open, revision, sequence)
  return severity .. '|' .. open .. '|' .. string.format('%012d', revision) .. '|' .. sequence
end
local function index(severity, open, revision, sequence)
  redis.call('ZADD', base .. ':x', 0, indexed(severity, 'a', sequence), 0, indexed('', open, sequence), 0,
    indexed(severity, open, sequence))
  redis.call('ZADD', base .. ':v', 0, changed(severity, 'a', revision, sequence), 0, changed('', open, revision, sequence),
    0, changed(severity, open, revision, sequence), 0, changed('', 'a', revision, sequence))
end
local function keep(keptMs)
  local untilMs = whole(math.max(now() + keptMs, head('keepUntilMs')))
  for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 't', 'x'}) do
    redis.call('PEXPIREAT', base .. ':' .. kind, untilMs)
  end
end
`;

/**
 * ARGV: retention (ms), maximum of records, 1 to refuse gaps; then eight for each entry: fence, number, change, record id,
 * severity, time (ms), 1 if open, json. Returns {index of entry, sequence, revision, count, …} of the records that
 * changed, or {'GAP', fence, last number applied} without any write.
 */
export const APPEND = script(`${COMMON}
local keptMs, most = tonumber(ARGV[1]), tonumber(ARGV[2])
local count = (#ARGV - 3) / 8
local function field(i, n) return ARGV[3 + (i - 1) * 8 + n] end
if redis.call('HGET', base .. ':h', 'deleted') then return {} end

local function unindex(severity, open, revision, sequence)
  redis.call('ZREM', base .. ':x', indexed(severity, 'a', sequence), indexed('', open, sequence),
    indexed(severity, open, sequence))
  redis.call('ZREM', base .. ':v', changed(severity, 'a', revision, sequence), changed('', open, revision, sequence),
    changed(severity, open, revision, sequence), changed('', 'a', revision, sequence))
end
-- The quotes of a text within the JSON are escaped.
local function counted(json) return tonumber(string.match(json, '"count":(%d+)') or '0') end
local function isLateRaise(i, sequence)
  if sequence == 0 or field(i, 3) ~= 'raised' then return false end
  return counted(field(i, 8)) < counted(redis.call('HGET', base .. ':r', sequence))
end
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
local answer = {}
for i = 1, count do
  local fence, number = field(i, 1), tonumber(field(i, 2))
  if number > last(fence) then
    applied[fence] = number
    local id, severity, timeMs, isOpen = field(i, 4), field(i, 5), field(i, 6), field(i, 7)
    local sequence = tonumber(redis.call('HGET', base .. ':i', id) or '0')
    if sequence == 0 and total >= most then
      if field(i, 3) == 'raised' then uncounted = uncounted + 1 end
    elseif not isLateRaise(i, sequence) then
      revision = revision + 1
      local json = field(i, 8)
      local times = counted(json)
      if sequence == 0 then
        total = total + 1
        sequence = total
        latestMs = math.max(latestMs, tonumber(timeMs))
        behindMs = math.max(behindMs, latestMs - tonumber(timeMs))
        redis.call('HSET', base .. ':i', id, sequence)
        redis.call('ZADD', base .. ':t', whole(latestMs), string.format('%08d', sequence))
        index(severity, isOpen, revision, sequence)
        if isOpen == '1' then open = open + 1 end
      else
        local former = redis.call('HGET', base .. ':r', sequence)
        local formerRevision, formerSeverity, wasOpen = string.match(former, '^(%d+)|([^|]*)|%d+|(%d)|')
        unindex(formerSeverity, wasOpen, formerRevision, sequence)
        index(severity, isOpen, revision, sequence)
        open = open + tonumber(isOpen) - tonumber(wasOpen)
        if times < counted(former) then
          times = counted(former)
          json = string.gsub(json, '"count":%d+', '"count":' .. whole(times), 1)
        end
      end
      local state = revision .. '|' .. severity .. '|' .. timeMs .. '|' .. isOpen
      redis.call('HSET', base .. ':r', sequence, state .. '|' .. json)
      answer[#answer + 1] = i
      answer[#answer + 1] = sequence
      answer[#answer + 1] = revision
      answer[#answer + 1] = times
    end
  end
end
for fence, number in pairs(applied) do redis.call('HSET', base .. ':f', fence, whole(number)) end
redis.call('HSET', base .. ':h', 'total', total, 'open', open, 'uncounted', uncounted, 'lastRevision', revision,
  'latestMs', whole(latestMs), 'behindMs', whole(behindMs))
keep(keptMs)
return answer
`);

/**
 * ARGV: 'sequence' or 'revision'; walk (low, high, 1 for ascending, count); probe (the same four); severity or '';
 * '1', '0' or '' for open; least and greatest time or ''. Bounds are inclusive. Returns {sequence, row, …} of the walk and
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

local filtered = severity ~= '' or wanted ~= ''
local state = wanted == '' and 'a' or wanted

-- Places (sequences or revisions) and the sequences that stand there.
local function step(low, high, ascending)
  local places, sequences = {}, {}
  if by == 'revision' or filtered then
    local key, least, greatest = base .. ':x', indexed(severity, state, low), indexed(severity, state, high)
    if by == 'revision' then
      key, least, greatest = base .. ':v', changed(severity, state, low, ''), changed(severity, state, high, '~')
    end
    local rows
    if ascending then rows = redis.call('ZRANGEBYLEX', key, '[' .. least, '[' .. greatest, 'LIMIT', 0, STEP)
    else rows = redis.call('ZREVRANGEBYLEX', key, '[' .. greatest, '[' .. least, 'LIMIT', 0, STEP) end
    for i = 1, #rows do
      if by == 'revision' then
        local revision, sequence = string.match(rows[i], '|(%d+)|(%d+)$')
        places[i], sequences[i] = tonumber(revision), sequence
      else
        places[i] = tonumber(string.sub(rows[i], -8))
        sequences[i] = tostring(places[i])
      end
    end
    return places, sequences
  end
  for i = 1, math.min(STEP, high - low + 1) do
    places[i] = ascending and low + i - 1 or high - i + 1
    sequences[i] = tostring(places[i])
  end
  return places, sequences
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
  high = math.min(high, 999999999999)
  local found, size = {}, 0
  while low <= high and size < count do
    local places, sequences = step(low, high, ascending)
    for i = 1, #sequences do
      if ascending then low = places[i] + 1 else high = places[i] - 1 end
      local row = redis.call('HGET', base .. ':r', sequences[i])
      if row and matches(row) then
        size = size + 1
        found[size] = {sequences[i], row, places[i]}
        if size >= count then break end
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

/** ARGV: record id. Returns {sequence, row} or nil. */
export const RECORD_BY_ID = script(`
local sequence = redis.call('HGET', KEYS[1] .. ':i', ARGV[1])
if not sequence then return {} end
return {sequence, redis.call('HGET', KEYS[1] .. ':r', sequence)}
`);

/** Deletes the log. ARGV: how long late entries are refused (ms). */
export const DELETE_RECORDS = script(`${COMMON}
for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 't', 'x'}) do redis.call('UNLINK', base .. ':' .. kind) end
redis.call('HSET', base .. ':h', 'deleted', 1)
keep(tonumber(ARGV[1]))
return 1
`);

/** ARGV: keep until (ms since 1970), retention (ms). */
export const KEEP_RECORDS = script(`${COMMON}
redis.call('HSET', base .. ':h', 'keepUntilMs', whole(math.max(tonumber(ARGV[1]), head('keepUntilMs'))))
keep(tonumber(ARGV[2]))
return 1
`);

/** Returns a snapshot of the log: head, fences, rows by sequence, and its remaining time (ms) or a negative number. */
export const DUMP_RECORDS = script(`${COMMON}
local left = redis.call('PTTL', base .. ':h')
return {redis.call('HGETALL', base .. ':h'), redis.call('HGETALL', base .. ':f'), redis.call('HGETALL', base .. ':r'),
  whole(left < 0 and left or now() + left)}
`);

/** Replaces the log by one without records. ARGV: expiry (ms), pairs of the head, then '|' and the fences. */
export const RESTORE_LOG = script(`${COMMON}
for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 't', 'x'}) do redis.call('UNLINK', base .. ':' .. kind) end
local hash = ':h'
local i = 2
while i <= #ARGV do
  if ARGV[i] == '|' then
    hash = ':f'
    i = i + 1
  else
    redis.call('HSET', base .. hash, ARGV[i], ARGV[i + 1])
    i = i + 2
  end
end
for _, kind in ipairs({'h', 'f'}) do redis.call('PEXPIREAT', base .. ':' .. kind, ARGV[1]) end
return 1
`);

/**
 * Adds records of a restored log, by sequence. ARGV: expiry (ms), then seven for each: sequence, revision, severity, time
 * (ms), 1 if open, id, json.
 */
export const RESTORE_RECORDS = script(`${COMMON}
local open, latestMs, behindMs = head('open'), head('latestMs'), head('behindMs')
for i = 2, #ARGV, 7 do
  local sequence, revision, severity, timeMs, isOpen = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4]
  latestMs = math.max(latestMs, tonumber(timeMs))
  behindMs = math.max(behindMs, latestMs - tonumber(timeMs))
  open = open + tonumber(isOpen)
  redis.call('HSET', base .. ':i', ARGV[i + 5], sequence)
  redis.call('ZADD', base .. ':t', whole(latestMs), string.format('%08d', sequence))
  index(severity, isOpen, revision, sequence)
  local state = revision .. '|' .. severity .. '|' .. timeMs .. '|' .. isOpen
  redis.call('HSET', base .. ':r', sequence, state .. '|' .. ARGV[i + 6])
end
redis.call('HSET', base .. ':h', 'open', open, 'latestMs', whole(latestMs), 'behindMs', whole(behindMs))
for _, kind in ipairs({'h', 'f', 'r', 'i', 'v', 't', 'x'}) do redis.call('PEXPIREAT', base .. ':' .. kind, ARGV[1]) end
return 1
`);
