import type { Case } from '../../case.js';
import { amf3Commands } from './amf3-commands.js';
import { amf3Connect } from './amf3-connect.js';
import { amf3Data } from './amf3-data.js';
import { amf3IntegerCut } from './amf3-integer-cut.js';
import { amf3Value } from './amf3-value.js';
import { amf3WithoutFormatByte } from './amf3-without-format-byte.js';
import { arrayCount } from './array-count.js';
import { deepNesting } from './deep-nesting.js';
import { deepObjects } from './deep-objects.js';
import { ecmaArray } from './ecma-array.js';
import { emptyCommand } from './empty-command.js';
import { everyType } from './every-type.js';
import { hugeString } from './huge-string.js';
import { largeConnect } from './large-connect.js';
import { longKey } from './long-key.js';
import { longString } from './long-string.js';
import { nameIsANumber } from './name-is-a-number.js';
import { nestedObjects } from './nested-objects.js';
import { oddMetadata } from './odd-metadata.js';
import { prototypeName } from './prototype-name.js';
import { reference } from './reference.js';
import { referenceToItself } from './reference-to-itself.js';
import { strictArray } from './strict-array.js';
import { truncatedNumber } from './truncated-number.js';
import { truncatedObject } from './truncated-object.js';
import { truncatedString } from './truncated-string.js';
import { typedObject } from './typed-object.js';
import { unknownMarker } from './unknown-marker.js';
import { unknownMembers } from './unknown-members.js';
import { utf8 } from './utf-8.js';

export const AMF: readonly Case[] = [
  amf3Commands,
  amf3Connect,
  amf3Data,
  amf3IntegerCut,
  amf3Value,
  amf3WithoutFormatByte,
  arrayCount,
  deepNesting,
  deepObjects,
  ecmaArray,
  emptyCommand,
  everyType,
  hugeString,
  largeConnect,
  longKey,
  longString,
  nameIsANumber,
  nestedObjects,
  oddMetadata,
  prototypeName,
  reference,
  referenceToItself,
  strictArray,
  truncatedNumber,
  truncatedObject,
  truncatedString,
  typedObject,
  unknownMarker,
  unknownMembers,
  utf8,
];
