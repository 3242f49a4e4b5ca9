import type { Case } from '../../case.js';

export const AMF: readonly Case[] = [];
