import type { Case } from '../../case.js';

export const CHUNKS: readonly Case[] = [];
