import { serverState } from '../../../../src/server/roles/server-state.js';

test('a role without a process, since nothing needs one, is told as idle, and not as one that takes no memory', async () => {
  const { roles } = await serverState({
    values: async () => ({
      airlock_role_resident_bytes: { web: 1_000 },
      airlock_role_cpu_seconds_total: { web: 2, media: 3 },
      airlock_role_restarts_total: { web: 0, media: 1 },
    }),
    idle: () => ['media'],
    library: { disk: async () => ({ freeBytes: 2, reserveBytes: 1 }) },
    jobs: { depths: async () => ({ recording: 0, upload: 0, publish: 0, fingerprint: 0, other: 0 }) },
    certificatePath: '/nowhere',
  });
  expect(roles).toEqual([
    { role: 'web', is_idle: false, resident_bytes: 1_000, cpu_seconds: 2, loop_delay_ms: 0, restarts: 0 },
    { role: 'media', is_idle: true, resident_bytes: 0, cpu_seconds: 3, loop_delay_ms: 0, restarts: 1 },
  ]);
});
