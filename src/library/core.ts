/** The part of the library that depends on the bounds: it is made once for each specification (`instantiate.ts`). */
export { checkSource } from '../check/check-source.js';
export { explained } from '../check/explain.js';
export { FlvCheck } from '../check/flv-check.js';
export { unknownNames } from '../check/house-names.js';
export { PROFILE_NAMES } from '../check/profile.js';
export { SPEC } from '../check/spec-document.js';
export { checkUpload } from '../check/upload-check.js';
export { bitrateRange } from '../rules/profile.js';
export { FAMILY_REMEDIES, remedyFor } from '../rules/remedies/remedy.js';
export { HIGHEST_FPS, LIVE } from '../spec/live.js';
