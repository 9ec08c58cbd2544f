// The generic cell rate algorithm as a script of Valkey. It stores one number for each limit: the time when the counted
// amount is paid off. A minute's allowance may arrive at once. Source: ITU-T I.371, annex A, virtual scheduling.

/**
 * Counts requests and tokens of a key against both limits, or neither. Returns 0, or the limit without room (1 or 2),
 * and the wait for it in ms. Returns for each limit the ms until the counted amount is paid off, -1 for no limit.
 */
export const TAKE = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local minute = 60000
local paid = {}
local ahead = { -1, -1 }
local refused = 0
local wait = 0
for i = 1, 2 do
  local limit = tonumber(ARGV[i])
  if limit > 0 then
    local before = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), now)
    paid[i] = before + tonumber(ARGV[i + 2]) * minute / limit
    ahead[i] = math.ceil(before - now)
    if refused == 0 and paid[i] - minute > now then
      refused = i
      wait = math.ceil(paid[i] - minute - now)
    end
  end
end
if refused == 0 then
  for i = 1, 2 do
    if paid[i] then
      redis.call('SET', KEYS[i], string.format('%.3f', paid[i]), 'PX', math.ceil(paid[i] - now) + 1)
      ahead[i] = math.ceil(paid[i] - now)
    end
  end
end
return { refused, wait, ahead[1], ahead[2] }`;

/** Counts more (or, below zero, fewer) requests and tokens without a check: requests under way go on. */
export const CORRECT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
for i = 1, 2 do
  local limit = tonumber(ARGV[i])
  local change = tonumber(ARGV[i + 2])
  if limit > 0 and change ~= 0 then
    local at = math.max(tonumber(redis.call('GET', KEYS[i]) or '0'), now) + change * 60000 / limit
    if at > now then
      redis.call('SET', KEYS[i], string.format('%.3f', at), 'PX', math.ceil(at - now) + 1)
    else
      redis.call('DEL', KEYS[i])
    end
  end
end
return 0`;
