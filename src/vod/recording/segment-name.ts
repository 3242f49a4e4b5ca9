/**
 * Names of segments sort by when their connection began, then by part. What one connection sent may be cut into parts,
 * so that each can be uploaded to object storage while the connection goes on.
 */

const NAME = /^(\d{13}-\d{6})-(\d{4})\.flv$/;

export function segmentName(startMs: number, number: number, part: number): string {
  return `${digits(startMs, 13)}-${digits(number, 6)}-${digits(part, 4)}.flv`;
}

export function isSegmentName(name: string): boolean {
  return NAME.test(name);
}

/** Whether nothing is missing between the two, so that the clock goes on. */
export function continues(name: string, before: string | undefined): boolean {
  const [, connection, part] = NAME.exec(name) ?? [];
  const [, connectionBefore, partBefore] = NAME.exec(before ?? '') ?? [];
  return connection !== undefined && connection === connectionBefore && Number(part) === Number(partBefore) + 1;
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0');
