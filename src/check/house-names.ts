/** Names in an operator's bounds that only the specification itself can check. */
import { CATALOGUE } from '../rules/registry/catalogue.js';
import type { HouseSpec } from '../spec/house.js';
import { LIVE, shortName } from '../spec/live.js';
import { TOLERANCES } from '../spec/tolerances.js';
import { DEMUXERS_OF_CONTAINER, UPLOAD } from '../spec/upload.js';

/** Problems of the names in an operator's bounds, which are in force. */
export function unknownNames({ tolerances, severities, upload, conditions }: HouseSpec): string[] {
  const groups: Readonly<Record<string, object>> = TOLERANCES;
  const problems = Object.entries(tolerances).flatMap(([group, rows]) => {
    const known = Object.hasOwn(groups, group) ? groups[group] : undefined;
    if (known === undefined) return [`tolerances.${group} is not a group of tolerances`];
    return Object.keys(rows).flatMap((name) =>
      Object.hasOwn(known, name) ? [] : [`tolerances.${group}.${name} is not a tolerance`],
    );
  });
  const codes = new Set(CATALOGUE.map(({ code }) => code));
  problems.push(
    ...Object.keys(severities).flatMap((code) => (codes.has(Number(code)) ? [] : [`${code} is not an error code`])),
  );
  if ('containers' in upload) {
    const unknown = UPLOAD.containers.filter((name) => !Object.hasOwn(DEMUXERS_OF_CONTAINER, name));
    problems.push(...unknown.map((name) => `upload.containers: ${name} is not a known container`));
  }
  const profiles = LIVE.profiles.map(shortName);
  for (const { when } of conditions) {
    if (when.profile === undefined || profiles.includes(when.profile)) continue;
    problems.push(`conditions: ${when.profile} is none of the profiles ${profiles.join(', ')}`);
  }
  if (LIVE.keyFrameInterval.recommendedMs > LIVE.keyFrameInterval.maxMs) {
    problems.push('live.keyFrameInterval: the recommended interval is above the maximum');
  }
  return problems;
}
