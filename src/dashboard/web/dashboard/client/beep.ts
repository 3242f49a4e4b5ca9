/** Two short tones, quiet enough for a control room. */
export function beep(): void {
  const context = new AudioContext();
  const gain = context.createGain();
  gain.gain.value = 0.08;
  gain.connect(context.destination);
  for (const [index, frequency] of [880, 660].entries()) {
    const tone = context.createOscillator();
    tone.frequency.value = frequency;
    tone.connect(gain);
    tone.start(context.currentTime + index * 0.18);
    tone.stop(context.currentTime + index * 0.18 + 0.14);
    if (index === 1) tone.onended = () => void context.close();
  }
}
