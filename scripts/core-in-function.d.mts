import type { Plugin } from 'vite';

export const coreInFunction: Plugin;
