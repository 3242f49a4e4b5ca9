/**
 * Prints of sound as the detector gets it of a running broadcast: coded with AAC, collected by the tap of a broadcast, and
 * decoded sample by sample by a process that is kept.
 */
import { spawnSync } from 'node:child_process';
import { SliceList } from '../../src/bytes/slices.js';
import { MATCH, PRINT } from '../../src/copyright/limits.js';
import { parsePrint, printBytes } from '../../src/copyright/prints.js';
import { SoundTap } from '../../src/detection/sound-tap.js';
import { shiftedSample } from '../../src/detection/stream-detector.js';
import { FlvFileReader } from '../../src/media/flv/file-reader.js';
import { KEPT } from '../../src/probe/cage/limits.js';
import { limitsOnly } from '../../src/probe/cage/open-cage.js';
import { KeptPrinter } from '../../src/probe/kept-printer.js';
import { PRINTER } from '../../src/probe/sample-decoder.js';
import { printOf } from '../../test/support/chromaprint.js';

const OUTPUT_MAX = 1 << 28;
const TIMEOUT_MS = 60_000;
/** Of one channel, in kbit/s. */
const BITRATES = [64, 48, 32];

function coded(pcm, rate, n) {
  const input = ['-v', 'error', '-f', 's16le', '-ar', String(rate), '-ac', '1', '-i', 'pipe:0'];
  const bitrate = BITRATES[n % BITRATES.length];
  const aac = ['-ar', '48000', '-c:a', 'aac', '-aac_coder', 'fast', '-b:a', `${bitrate}k`, '-f', 'flv', 'pipe:1'];
  const { status, stdout, stderr } = spawnSync('ffmpeg', [...input, ...aac], { input: pcm, maxBuffer: OUTPUT_MAX });
  if (status !== 0) throw new Error(String(stderr));
  return stdout;
}

function samplesOf(flv) {
  const collected = [];
  const deps = { liveVideoId: 'live', session: 'live', isOn: () => true, submit: (each) => collected.push(each) };
  const tap = new SoundTap(deps);
  const tag = (kind, stamp, payload) => tap.packet(kind, stamp, SliceList.of(payload.copy(0, payload.length)));
  new FlvFileReader({ tag }).push(flv);
  return collected;
}

/** For each sample the time of its start in ms and the items of its window, then the same half a distance of items later. */
export async function sampledPrint(pcm, rate, n) {
  const printer = new KeptPrinter(limitsOnly().enter({ tool: 'ffmpeg', limits: KEPT }), PRINTER);
  const window = async (startMs, flv) => {
    const items = parsePrint((await printer.print(flv, TIMEOUT_MS)) ?? new Uint8Array());
    if (items.length < MATCH.windowItems) throw new Error(`a sample has ${items.length} items`);
    return [Math.round(startMs), ...items.subarray(0, MATCH.windowItems)];
  };
  const made = [];
  for (const { sample, flv } of samplesOf(coded(pcm, rate, n))) {
    const shifted = shiftedSample(flv);
    made.push(...(await window(sample.startMs, flv)), ...(await window(sample.startMs + shifted.byMs, shifted.flv)));
  }
  printer.close();
  return printBytes(Uint32Array.from(made));
}

/** The same of sound that was not coded, in windows that join. */
export function plainPrint(pcm, rate) {
  const later = 2 * Math.round((PRINT.itemMs / 2000) * rate);
  const [print, shifted] = [printOf(pcm, 'anull', rate), printOf(pcm.subarray(later), 'anull', rate)];
  const made = [];
  for (let from = 0; from + MATCH.windowItems <= shifted.length; from += MATCH.windowItems) {
    for (const [of, laterMs] of [
      [print, 0],
      [shifted, PRINT.itemMs / 2],
    ]) {
      made.push(Math.round(from * PRINT.itemMs + laterMs), ...of.subarray(from, from + MATCH.windowItems));
    }
  }
  return printBytes(Uint32Array.from(made));
}

/** The windows of such a print. */
export function* sampledWindows(print) {
  const step = 1 + MATCH.windowItems;
  const windowAt = (at) => ({ window: print.subarray(at + 1, at + step), fromMs: print[at] });
  for (let at = 0; at + 2 * step <= print.length; at += 2 * step) {
    yield { ...windowAt(at), shifted: windowAt(at + step) };
  }
}
