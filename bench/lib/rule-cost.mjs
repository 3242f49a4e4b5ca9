// What the rules cost by group: how often each is checked in a second of the stream, times the CPU of one check alone.
import { LIVE_RULES } from '../../dist/rules/registry/rules.js';

const CHECKS = 20_000;
const WARM_UP = 2_000;

const groupOf = ({ entry: { code, analysis } }) => {
  if (!analysis) return 'published document';
  if (code >= 6900) return 'causes (6901 to 6908)';
  return code >= 6800 ? 'sound and picture (68xx)' : 'bit stream and timestamps';
};

/** Counts the checks from now on. Call it before the judge is loaded, which keeps the checks that it finds. */
export function countChecks() {
  const rows = LIVE_RULES.map((rule) => ({ rule, check: rule.check, calls: 0, events: new Set() }));
  const seen = { facts: undefined, isCounting: false };
  for (const row of rows) {
    row.rule.check = (facts, events) => {
      seen.facts = facts;
      if (seen.isCounting) {
        row.calls++;
        row.events.add(events);
      }
      return row.check(facts, events);
    };
  }
  return {
    start: () => {
      seen.isCounting = true;
    },
    /** Rows of a table for the counted `seconds` of stream: group, checks a second, ns a check, µs a second. */
    groups(seconds) {
      seen.isCounting = false;
      const groups = new Map();
      for (const row of rows.filter(({ calls }) => calls > 0)) {
        const name = groupOf(row.rule);
        const group = groups.get(name) ?? { checks: 0, us: 0 };
        const checks = row.calls / seconds;
        group.checks += checks;
        group.us += (checks * nsOf(row, seen.facts)) / 1000;
        groups.set(name, group);
      }
      return [...groups].map(([name, { checks, us }]) => ({ name, checks, ns: (us * 1000) / checks, us }));
    },
  };
}

function nsOf({ check, events }, facts) {
  const all = [...events];
  let sum = 0;
  const run = (times) => {
    for (let i = 0; i < times; i++) for (const each of all) sum += check(facts, each);
  };
  run(WARM_UP);
  const before = process.cpuUsage();
  run(CHECKS);
  const { user, system } = process.cpuUsage(before);
  if (sum < 0) console.log(sum);
  return ((user + system) * 1000) / CHECKS / all.length;
}
