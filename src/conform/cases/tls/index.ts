import type { Case } from '../../case.js';

export const TLS: readonly Case[] = [];
