const BY_FRAME_RATE = /(\S+ \d+) at 30 fps \((\S+ \d+) at 60 fps\)/g;

/** `-g 60 at 30 fps (-g 120 at 60 fps)` → `-g 60`, where the frame rate of the stream is known. */
export function filledRemedy(text: string, frameRateClass: 30 | 60 | undefined): string {
  if (frameRateClass === undefined) return text;
  return text.replaceAll(BY_FRAME_RATE, frameRateClass === 60 ? '$2' : '$1');
}
