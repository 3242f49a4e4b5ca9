/**
 * One page of an edge in one call: the walk, the probe the other way, and the values.
 *
 * KEYS: the places, the members. ARGV: walk (least, greatest, 1 for descending, offset, count), probe (least, greatest,
 * 1 for descending). Answers {rows, values, rows the probe found}; a value is `score|json`, or the score alone.
 */
import { script } from '../script.js';

export const EDGE_PAGE = script(`
local function range(least, greatest, descending, offset, count)
  if descending == '1' then
    return redis.call('ZREVRANGEBYLEX', KEYS[1], greatest, least, 'LIMIT', offset, count)
  end
  return redis.call('ZRANGEBYLEX', KEYS[1], least, greatest, 'LIMIT', offset, count)
end
local rows = range(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
local least, greatest = ARGV[6], ARGV[7]
if rows[1] then
  if ARGV[8] == '1' then greatest = '(' .. rows[1] else least = '(' .. rows[1] end
end
local probed = range(least, greatest, ARGV[8], 0, 1)
local values = {}
for i = 1, #rows do values[i] = redis.call('HGET', KEYS[2], string.sub(rows[i], 17)) or '' end
return {rows, values, #probed}
`);
