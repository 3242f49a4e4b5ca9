/**
 * Segment names sort by the start of their connection, then by part. The stream of one connection may be cut into parts,
 * so that each part can be uploaded to object storage while the connection continues.
 */

const NAME = /^(\d{13}-\d{6})-(\d{4})\.flv$/;

export function segmentName(startMs: number, number: number, part: number): string {
  return `${digits(startMs, 13)}-${digits(number, 6)}-${digits(part, 4)}.flv`;
}

export function isSegmentName(name: string): boolean {
  return NAME.test(name);
}

/** Whether `name` directly continues `before`, so that the clock goes on. */
export function continues(name: string, before: string | undefined): boolean {
  const [, connection, part] = NAME.exec(name) ?? [];
  const [, connectionBefore, partBefore] = NAME.exec(before ?? '') ?? [];
  return connection !== undefined && connection === connectionBefore && Number(part) === Number(partBefore) + 1;
}

const digits = (value: number, count: number): string => String(value).padStart(count, '0');
