/**
 * Faults of the server that the simulation found, put back as they were: each is a substitution in a source file, which fails when
 * the text is no longer there. Run by `npm run simulate` with `SIMULATED_FAULT`, the JSON of the changes (test/support/typescript-loader.mjs).
 */
export interface Patch {
  /** What the server did. */
  readonly fault: string;
  readonly changes: readonly { readonly file: string; readonly from: string; readonly to: string }[];
  /** A seed that finds it. */
  readonly seed: number;
  /** What the simulation says, in part. */
  readonly broken: RegExp;
}

export const PATCHES: readonly Patch[] = [
  {
    fault: 'two encoders with one key, which waited in one process at once, both received the broadcast',
    changes: [
      {
        file: 'src/broadcasts/publications.ts',
        from: 'if (this.#taking.has(subject) || this.#running.has(subject) || this.#leaving.has(subject)) return false;',
        to: '',
      },
    ],
    seed: 9,
    broken: /not LIVE again|comes after/,
  },
  {
    fault: 'a publish got the fence of the one before, whose release was lost, and its records were taken for old ones',
    changes: [
      {
        file: 'src/broadcasts/publications.ts',
        from: 'return this.#fences.get(subject) === fence;',
        to: 'return false;',
      },
    ],
    seed: 172,
    broken: /was counted/,
  },
  {
    fault: 'the journal removed a file with an entry that the store did not have',
    changes: [
      {
        file: 'src/store/journal/segments.ts',
        from: 'segment.storedAtMs = undefined;\n      return { segment, offset };',
        to: 'return { segment, offset };',
      },
    ],
    seed: 762,
    broken: /is not readable|was counted|was cleared/,
  },
  {
    fault: 'records stayed open after the end when the process that closes them died, or they were stored late',
    changes: [
      {
        file: 'src/broadcasts/record-closer.ts',
        from: 'await this.#tryToClose(live, isClosed ? undefined : endReason);\n    return false;',
        to: 'return true;',
      },
    ],
    seed: 2291,
    broken: /open records/,
  },
  {
    fault: 'a late record of an earlier publish was open beside that of the current one',
    changes: [
      {
        file: 'src/broadcasts/publications.ts',
        from: 'for (const member of members) member.clearEarlier(open);',
        to: '',
      },
    ],
    seed: 114,
    broken: /open twice/,
  },
  {
    fault: 'a failover lost the start of a broadcast, and its publication did not notice',
    changes: [
      {
        file: 'src/broadcasts/publications.ts',
        from: 'if (available) for (const publication of this.#running.values()) publication.confirm();',
        to: '',
      },
    ],
    seed: 7416,
    broken: /not LIVE again|no input leads|back from a later/,
  },
  {
    fault: 'a recording that was being written when it was to be synced waited for the next round, five seconds later',
    changes: [
      {
        file: 'src/recording/flusher.ts',
        from: 'if (segment?.isIdle === false) continue;',
        to: 'if (segment?.isIdle === false) { this.#toSync.splice(at, 1); return; }',
      },
    ],
    seed: 1255,
    broken: /lacks \d+ of/,
  },
  {
    fault: 'a failover gave the version of a lost state to another one, and a publication overwrote it',
    changes: [
      { file: 'src/broadcasts/state-writer.ts', from: 'isKnown = false;', to: '' },
      { file: 'src/broadcasts/publication.ts', from: 'this.#live = { ...this.#live, version: -1 };', to: '' },
    ],
    seed: 1585,
    broken: /back from a later holder/,
  },
  {
    fault: 'a process did not hear that the owner took its broadcast LIVE elsewhere, since the store went away',
    changes: [
      {
        file: 'src/broadcasts/publication.ts',
        from: 'else if (live.data.goLiveOnData) this.goLiveIfDataFlows();',
        to: '',
      },
    ],
    seed: 17024,
    broken: /not LIVE again/,
  },
  {
    fault: 'a record that one process raised and another counted went back to 1, since the raise came late',
    changes: [
      {
        file: 'src/store/shared/record-rules.ts',
        from: "former !== undefined && change === 'raised' && body.count < former.count;",
        to: 'false;',
      },
    ],
    seed: 66751,
    broken: /was counted/,
  },
  {
    fault: 'a failover lost how many refusals were counted, and the next one took the id of another record',
    changes: [
      {
        file: 'src/broadcasts/refused-publishes.ts',
        from: 'id: this.#newId(liveVideoId),',
        to: `id: \`\${liveVideoId}_\${this.#numberingOf(liveVideoId).fence}_\${refused.length + 1}\`,`,
      },
    ],
    seed: 26455,
    broken: /comes after/,
  },
  {
    fault: 'an encoder came back before the store had what the journal had, and the count of a record went back',
    changes: [
      {
        file: 'src/broadcasts/judge-factory.ts',
        from: 'await this.#deps.errors.stored(live.id, BROADCAST_LIMITS.recordsStoredMs);',
        to: '',
      },
      {
        file: 'src/store/shared/record-rules.ts',
        from: 'count: Math.max(body.count, former?.count ?? 0),',
        to: '',
      },
    ],
    seed: 23010,
    broken: /was counted/,
  },
  {
    fault:
      'a process that took its broadcast LIVE, while an encoder came back to it and the store was slow, waited for data that flowed',
    changes: [
      {
        file: 'src/broadcasts/publications.ts',
        from: "if (effects.every(({ effect }) => effect === 'deadline')) running.adopt(live);",
        to: 'if (effects.length === 0) running.adopt(live);',
      },
    ],
    seed: 30912,
    broken: /not LIVE again/,
  },
  {
    fault:
      'a process that stood still raised a record of one of two inputs after its successor had begun, which left it open',
    changes: [
      {
        file: 'src/broadcasts/publication-records.ts',
        from: '(timestampMs < this.#beganMs || isOlderInput(fenceOf(id), fence))',
        to: 'timestampMs < this.#beganMs',
      },
    ],
    seed: 86273,
    broken: /open twice/,
  },
  {
    fault:
      'a record that a standing process kept for longer than its broadcast lasted was stored after the close of its open records',
    changes: [{ file: 'src/store/journal/drain.ts', from: ' || this.#events.owedForMs() > LATE_MS;', to: ';' }],
    seed: 80106,
    broken: /reads open/,
  },
];
