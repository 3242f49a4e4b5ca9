/**
 * Reads one page of an edge in one call: the walk, the probe in the other direction, and the values.
 *
 * KEYS: the places, the members. ARGV: walk (least, greatest, 1 for descending, offset, count), probe (least, greatest,
 * 1 for descending). Returns {rows, values, rows that the probe found}; a value is `score|json`, or the score alone.
 */
import { script } from './script.js';

/** `page(places, members, arguments)`, for scripts that read several. */
export const PAGE_FUNCTION = `
local function range(places, least, greatest, descending, offset, count)
  if tostring(descending) == '1' then
    return redis.call('ZREVRANGEBYLEX', places, greatest, least, 'LIMIT', offset, count)
  end
  return redis.call('ZRANGEBYLEX', places, least, greatest, 'LIMIT', offset, count)
end
local function page(places, members, args)
  local rows = range(places, args[1], args[2], args[3], args[4], args[5])
  local least, greatest = args[6], args[7]
  if rows[1] then
    if tostring(args[8]) == '1' then greatest = '(' .. rows[1] else least = '(' .. rows[1] end
  end
  local probed = range(places, least, greatest, args[8], 0, 1)
  local values = {}
  for i = 1, #rows do values[i] = redis.call('HGET', members, string.sub(rows[i], 17)) or '' end
  return rows, values, #probed
end
`;

export const EDGE_PAGE = script(`${PAGE_FUNCTION}
return {page(KEYS[1], KEYS[2], ARGV)}
`);
