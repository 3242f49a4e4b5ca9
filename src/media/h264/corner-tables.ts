/** Tables of H.264 for the first macroblock of an I slice: CABAC (9.3) and CAVLC (9.2) of its first luma block. */

/** Bytes as text: the library, which is loaded whole, is kept small. */
function fromHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => Number.parseInt(text.slice(2 * at, 2 * at + 2), 16));
}

/** Table 9-44: rangeTabLPS, four values for each pStateIdx, in hexadecimal. */
export const RANGE_LPS = fromHex(
  '80b0d0f080a7c5e3809ebbd87b96b2cd748ea9c36f87a0b9698098af647a90a65f74899e5a6e829655687b8e516375874d5e6f80' +
    '4959697a4555647442505f6e3e4c5a683b4856633845515e35414d59333e4955303b45502e38424c2b353f4829323b4527303841' +
    '252d363e232b333b2129303820272e351e252b321d2329301b21272d1a1f252b181e2329171c2127161b2025151a1e2314181d21' +
    '13171b1f12161a1e1115191c1014171b0f1316190e1215180e1114170d1013160c0f12150c0e11140b0e10130b0d0f120a0c0f11' +
    '0a0c0e10090b0d0f090b0c0e080a0c0e08090b0d07090b0c07090a0c07080a0b0608090b0607090a0607080902020202',
);

/** Table 9-45: transIdxLps, in hexadecimal. */
export const NEXT_LPS = fromHex(
  '000001020204040506070809090b0b0c0d0d0f0f101012121313151516161718' +
    '18191a1a1b1b1c1d1d1e1e1e1f2020212121222223232324242425252526263f',
);

/**
 * Tables 9-12 to 9-35 for I slices: ctxIdx of the first of a run, then m and n of each, as text with 64 added to each in hexadecimal.
 */
export const CONTEXTS: readonly (readonly number[])[] = [
  '3 5431',
  '6 24bf29a83a753f764773',
  '60 4069',
  '62 407f407f3793',
  '67 39884d69437e',
  '73 2fbf33a64092398a2bab',
  '81 2e9f',
  '88 35b3',
  '96 22bf',
  '105 399d35973d8d3b873c7f3c843494397e3981487d45783e824180407d',
  '119 3e8e',
  '134 33ac31a433a5339b349e369830943696399333972d9e4186',
  '146 40883b8a527b',
  '166 58404f4948594d524f494d534a654c52465d54614f5e446d417a407e477d',
  '195 5a2d562f5a2f5e275c2c6129652561296824662f61356831',
  '207 693a66416951',
  '227 3d873a6a3b723d763e7e407a417f3e883f8a379b',
  '247 349c3177367c3a7e3c813489388c399037982fae',
  '399 5f55',
  '402 2fb82cb02eb23595319c3299268731913290408432862878',
  '414 29842872358a',
  '417 57335a33683171326c436d466c6261765392',
  '426 3d8b3f574162416b40763e77407d41804084379c',
].map((text) => {
  const [from, values = ''] = text.split(' ');
  return [Number(from), ...Array.from(fromHex(values), (value) => value - 64)];
});
export const LAST_CONTEXT = 435;

/** Table 9-43: ctxIdxInc of significant_coeff_flag of an 8x8 block of a frame, a hexadecimal digit each. */
export const SIGNIFICANT_8X8 = Uint8Array.from(
  '0123455443344455444433677789a98776bcdb6789ea986bcdb69ea9bcdbeac',
  (digit) => Number.parseInt(digit, 16),
);
/** Table 9-43: of last_significant_coeff_flag. */
export const LAST_8X8 = Uint8Array.from(
  [
    [0, ...Array.from({ length: 15 }, () => 1), ...Array.from({ length: 16 }, () => 2)],
    [3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7, 8, 8, 8],
  ].flat(),
);

/** Table 9-4 for Intra_4x4 and Intra_8x8 with 4:2:0: coded_block_pattern by codeNum, in hexadecimal. */
export const CODED_BLOCKS = fromHex(
  '2f1f0f00171b1d1e070b0d0e272b2d2e1003050a0c13151a1c23252a2c01020408111214180609161920212224282629',
);

/** Codes as their lengths, and their bits in the same order. A length of 0: no code. */
export type Codes = readonly [lengths: readonly number[], bits: readonly number[]];

/** Lengths and bits as digits of base 36. */
function codes(text: string): Codes {
  const [lengths = [], bits = []] = text
    .split(' ')
    .map((row) => Array.from(row, (digit) => Number.parseInt(digit, 36)));
  return [lengths, bits];
}

/** Table 9-5, 0 <= nC < 2: by 4 * TotalCoeff + TrailingOnes. */
export const COEFF_TOKEN = codes(
  '1000620086309875a986ba97dba8ddb9dddaeedbeeedffeefffegfffgggfgggggggg 100051007410765376537654f654be548ad4fe94badcfe9cbad8f19cbed87a9c4658',
);

/** Tables 9-7 and 9-8: total_zeros by TotalCoeff - 1. */
export const TOTAL_ZEROS: readonly Codes[] = [
  '1334455667788999 1323232323232321',
  '333334444556666 765435432323210',
  '43334433455656 57654343232110',
  '5344333434555 3754654332210',
  '444333334545 543765432110',
  '65333333436 11765432110',
  '6533323436 1154332110',
  '645322336 111332210',
  '66422325 10132111',
  '5532224 1013211',
  '443313 011213',
  '44213 01111',
  '3312 0111',
  '221 011',
  '11 01',
].map(codes);

/** Table 9-10: run_before by zerosLeft - 1, from 7 on the last. */
export const RUN_BEFORE: readonly Codes[] = [
  '11 10',
  '122 110',
  '2222 3210',
  '22233 32110',
  '223333 323210',
  '2333333 3013254',
  '3333333456789ab 765432111111111',
].map(codes);
