/**
 * Reads objects and their related data in one call (`ObjectStore.readBatch`). It computes keys from the objects that it
 * reads, so it cannot run in a cluster.
 *
 * ARGV: the prefix of keys, and as JSON { aliases, ids, follow, lists, counters, entry }: lists are { n, kind, via, edge,
 * page (arguments as of EDGE_PAGE, absent for the size alone), size, members: { lists, counters } }, counters
 * { n, kind, via, names }; logs are ids of broadcasts, head the fields of their heads. Returns {alias, id, …}, {id, object, …}, pages {n, owner, rows, values, probed, …}, sizes
 * {n, owner, size, …}, entries {owner, member, value, …}, counters {n, owner, values, …}, heads of error logs {id, values, …}.
 */
import { script } from './script.js';

/** `page(places, members, arguments)`, for scripts that read several. */
const PAGE_FUNCTION = `
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

/**
 * Reads one page of an edge in one call: the walk, the probe in the other direction, and the values.
 *
 * KEYS: the places, the members. ARGV: walk (least, greatest, 1 for descending, offset, count), probe (least, greatest,
 * 1 for descending). Returns {rows, values, rows that the probe found}; a value is `score|json`, or the score alone.
 */
export const EDGE_PAGE = script(`${PAGE_FUNCTION}
return {page(KEYS[1], KEYS[2], ARGV)}
`);

/** Maximum of objects and rows per call; the remaining ones are read separately. */
const READ_MAX = 500;
const STEPS = 3;
const LISTED_MAX = 100;

export const BATCH_READ = script(`${PAGE_FUNCTION}
local prefix, wanted = ARGV[1], cjson.decode(ARGV[2])
local ESCAPED = { ['{'] = '%7B', ['}'] = '%7D', ['%'] = '%25' }
local left, met = ${READ_MAX}, {}
local aliases, objects, pages, sizes, entries, counted = {}, {}, {}, {}, {}, {}

local function base(name) return prefix .. ':{' .. (string.gsub(name, '[{}%%]', ESCAPED)) .. '}' end
local function add(to, ...)
  for i = 1, select('#', ...) do to[#to + 1] = (select(i, ...)) end
end

-- Objects that were met, by id; false for those that are not there.
local function read(id)
  left = left - 1
  local text = redis.call('GET', base(id))
  add(objects, id, text)
  met[id] = false
  if not text then return end
  local kind, at = string.match(text, '^%d+|([a-z_]+)|%d+|%d+|()')
  local decoded, data = pcall(cjson.decode, string.sub(text, at or 1))
  if decoded and type(data) == 'table' then met[id] = { id = id, kind = kind, data = data } end
end

local function visit(id, steps)
  if type(id) ~= 'string' or met[id] ~= nil or left <= 0 or not string.match(id, '^[%d_]+$') then return end
  read(id)
  if not met[id] or steps == 0 then return end
  local data = met[id].data
  for _, each in ipairs(wanted.follow) do
    local value = data[each.field]
    if each.where and data[each.where.field] ~= each.where.is then value = nil end
    if type(value) == 'table' then
      for i = 1, math.min(#value, ${LISTED_MAX}) do visit(value[i], steps - 1) end
    elseif value then
      visit(value, steps - 1)
    end
  end
end

local function ownerOf(object, around)
  local named = around.via and object.data[around.via]
  return type(named) == 'string' and named or object.id
end

local around
local function list(object, each)
  local owner = ownerOf(object, each)
  local places = base(owner) .. ':e:' .. each.edge
  if each.size then add(sizes, each.n, owner, redis.call('ZCARD', places)) end
  if not each.page or left <= 0 then return end
  local rows, values, probed = page(places, base(owner) .. ':m:' .. each.edge, each.page)
  left = left - #rows
  add(pages, each.n, owner, rows, values, probed)
  if not each.members then return end
  for i = 1, #rows do
    local member = string.sub(rows[i], 17)
    visit(member, ${STEPS})
    around(member, each.members)
  end
end
around = function(id, parts)
  local object = met[id]
  if not object then return end
  for _, each in ipairs(parts.counters) do
    if each.kind == object.kind then
      local owner = ownerOf(object, each)
      add(counted, each.n, owner, redis.call('HMGET', base(owner) .. ':c', unpack(each.names)))
    end
  end
  for _, each in ipairs(parts.lists) do
    if each.kind == object.kind then list(object, each) end
  end
end

local ids, member = wanted.ids, wanted.entry and wanted.entry.member
for _, alias in ipairs(wanted.aliases) do
  local id = redis.call('GET', base(alias) .. ':a')
  add(aliases, alias, id)
  if id then
    ids[#ids + 1] = id
    visit(id, ${STEPS})
    if type(member) == 'table' and member.ofAlias == alias then
      local token = met[id]
      while token and met[token.data.parentId] do token = met[token.data.parentId] end
      member = token and token.data.ownerId
    end
  end
end
for _, id in ipairs(ids) do visit(id, ${STEPS}) end

if type(member) == 'string' then
  local asked = {}
  local function ask(owner)
    if type(owner) ~= 'string' or asked[owner] then return end
    asked[owner] = true
    add(entries, owner, member, redis.call('HGET', base(owner) .. ':m:' .. wanted.entry.edge, member))
  end
  for _, object in pairs(met) do if object then ask(object.data.ownerId) end end
  for _, id in ipairs(wanted.ids) do ask(id) end
end
for _, id in ipairs(ids) do around(id, wanted) end
local heads = {}
for _, id in ipairs(wanted.logs) do
  add(heads, id, redis.call('HMGET', base(id) .. ':r:h', unpack(wanted.head)))
end
return {aliases, objects, pages, sizes, entries, counted, heads}
`);
