/** Names of segments sort by when they began. */

const NAME = /^(\d{13})-(\d{6})\.flv$/;

export function segmentName(startMs: number, number: number): string {
  return `${String(startMs).padStart(13, '0')}-${String(number).padStart(6, '0')}.flv`;
}

export function isSegmentName(name: string): boolean {
  return NAME.test(name);
}
