/**
 * The two input streams of one broadcast, as far as this process receives them. The one that is on air has the air: the lease of the
 * live video, the taps and the stored state; it passes to the other one in this process, or to another process.
 */

import { inputDifferences, saidDifferences } from '../judge/input-differences.js';
import type { EndReason, LiveVideoData } from '../lifecycle/documents.js';
import { type InputIndex, OnAir, other, type SwitchReason } from '../lifecycle/on-air.js';
import type { MediaMessage } from '../media/media-message.js';
import { LEASE, type Lease, type MediaTap, type StreamHealth } from '../ports/index.js';
import { SERVICE_CODES } from '../rules/registry/service-codes.js';
import type { MatchDetails, SettingChange } from '../spec/error-record.js';
import type { ReceivingDeps } from './deps.js';
import type { JudgeFactory } from './judge-factory.js';
import { BROADCAST_LIMITS } from './limits.js';
import type { Presence } from './presence.js';
import type { PublishLease } from './publish-lease.js';
import type { LiveVideo, StateWriter } from './state-writer.js';

export interface PairDeps {
  readonly deps: ReceivingDeps;
  readonly states: StateWriter;
  readonly judges: Pick<JudgeFactory, 'lease'>;
  readonly presence: Pick<Presence, 'isSilent'>;
  readonly elsewhere: { tell(liveVideoId: string, action: PairMessage, more?: PairMessageDetails): void };
}

/** To the processes that may receive the other input stream. */
type PairMessage = 'air-wanted' | 'air-left' | 'go-live' | 'close';

interface PairMessageDetails {
  readonly left?: LeftAir;
  readonly reason?: EndReason | undefined;
}

/** The input stream on air has it, and passes it to the next one: the right to change the stored broadcast, and its taps. */
export interface Air {
  readonly lease: PublishLease;
  readonly taps: readonly MediaTap[];
  readonly live: LiveVideo;
  /** Resolves when what was queued for the store is written. */
  readonly written: Promise<void>;
  readonly dataFlows: boolean;
}

/** Details of a record that the service notes. */
export interface NoteDetails {
  readonly match?: MatchDetails | undefined;
  /** ID of the forward. */
  readonly forward?: string;
  readonly changes?: readonly SettingChange[];
}

/** The publication of one input stream. */
export interface PairMember {
  readonly index: InputIndex;
  readonly inputStreamId: string | undefined;
  readonly hasFaults: boolean;
  isSilentFor(ms: number): boolean;
  health(): StreamHealth;
  note(code: number, observed: string, more?: NoteDetails): void;
  clearNoted(code: number): void;
  goLive(atMs: number): void;
  end(reason: EndReason | undefined): void;
  /** It has the air from now on; its packets are shown from its next key frame on. */
  takeAir(air: Air): void;
  /** It has the air, which another process had: the store has the state of the broadcast. */
  enterAir(lease: Lease, live: LiveVideo): void;
  /** Its packets are on air from now on. */
  show(): void;
  /** It stands by: another input stream of this process has the air. */
  leaveAir(): Air;
  /** It stands by: an input stream of another process takes the air. Resolves when it is free. */
  giveUpAir(): Promise<void>;
}

/** Sent by a process that gives up the air. */
export interface LeftAir {
  readonly why: SwitchReason;
  /** Since its last packet on air. */
  readonly silentMs: number;
}

/** Names in 6507, by the index. */
const NAMES = ['the primary input stream', 'the backup'] as const;

const NEVER = Number.NEGATIVE_INFINITY;

export class InputPair<Member extends PairMember> {
  readonly liveVideoId: string;
  readonly onAir: OnAir;
  readonly #of: PairDeps;
  readonly #members: [Member | undefined, Member | undefined] = [undefined, undefined];
  /** Has the air, or is the next to be shown where the one before has gone. */
  #owner: Member | undefined;
  #isTaking = false;
  #triedAtMs = NEVER;
  /** When another process last said that an input stream stands by there. */
  #wantedAtMs = NEVER;
  /** When an input stream of another process was asked for that had not said that it stands by. */
  #askedAtMs = NEVER;
  #left: (LeftAir & { readonly atMs: number }) | undefined;
  #comparedAtMs = NEVER;
  #differing = '';
  #liveAtMs: number | undefined;

  constructor(liveVideoId: string, data: LiveVideoData, of: PairDeps) {
    this.liveVideoId = liveVideoId;
    this.#of = of;
    this.onAir = new OnAir({ afterMs: of.deps.settings.backupAfterMs, returns: data.isBackupReturn === true });
  }

  get owner(): Member | undefined {
    return this.#owner;
  }

  /** The publications of this process, on air first. */
  get members(): readonly Member[] {
    const both = this.#members.filter((each) => each !== undefined);
    return both.sort((a, b) => Number(b === this.#owner) - Number(a === this.#owner));
  }

  get isEmpty(): boolean {
    return this.members.length === 0;
  }

  get #nowMs(): number {
    return this.#of.deps.clock.monotonicMs();
  }

  get #hasStandbyElsewhere(): boolean {
    return this.#nowMs - this.#wantedAtMs < BROADCAST_LIMITS.airWantedMs;
  }

  /** Since the last packet on air. */
  get #silentMs(): number {
    const sinceMs = this.#nowMs - this.onAir.lastOnAirMs;
    return Number.isFinite(sinceMs) ? Math.max(0, Math.round(sinceMs)) : 0;
  }

  // ---------------------------------------------------------------- the air

  /** The right to be on air, unless an input stream of this process or of another has it. @throws StoreUnavailableError */
  async takeAir(): Promise<Lease | undefined> {
    if (this.#owner !== undefined || this.#isTaking) return undefined;
    this.#isTaking = true;
    try {
      this.#triedAtMs = this.#nowMs;
      const lease = await this.#of.judges.lease(this.liveVideoId);
      if (lease !== undefined) return lease;
      const current = await this.#of.deps.store.leases.holder(LEASE.publish(this.liveVideoId));
      if (current === undefined || !(await this.#of.presence.isSilent(current.holder))) return undefined;
      return await this.#of.judges.lease(this.liveVideoId, current);
    } finally {
      this.#isTaking = false;
    }
  }

  /** `isOnAir`: it has the air, and is shown from its first packet on. */
  join(publication: Member, index: InputIndex, isOnAir: boolean): void {
    this.#members[index] = publication;
    this.onAir.connect(index, this.#nowMs);
    if (!isOnAir) return;
    this.#owner = publication;
    this.onAir.begin(index);
  }

  /**
   * One of them disconnects. `here`, `elsewhere`: the broadcast goes on with the other one, which has the air now or is about
   * to take it; `nowhere`: it has no other, or this one was not on air.
   */
  leave(publication: Member, index: InputIndex): 'here' | 'elsewhere' | 'nowhere' {
    if (this.#members[index] === publication) this.#members[index] = undefined;
    this.onAir.disconnect(index);
    if (this.#owner !== publication) return 'nowhere';
    const heir = this.#members[other(index)];
    if (heir !== undefined) {
      this.#pass(publication, heir);
      this.onAir.choose(other(index), 'lost');
      return 'here';
    }
    const silentMs = this.#silentMs;
    this.#owner = undefined;
    this.onAir.leaveAir();
    if (!this.#hasStandbyElsewhere) return 'nowhere';
    this.#left = { why: 'lost', silentMs, atMs: this.#nowMs };
    return 'elsewhere';
  }

  /** The lease of the air is free: the other process may take it. */
  tellLeft(): void {
    if (this.#left !== undefined) this.#tell('air-left', { why: this.#left.why, silentMs: this.#left.silentMs });
  }

  #pass(from: Member, to: Member): void {
    this.#owner = to;
    to.takeAir(from.leaveAir());
  }

  /** A key frame of an input stream that was chosen: it is on air from this packet on. */
  switchTo(publication: Member, { timestampMs, atMs }: Pick<MediaMessage, 'timestampMs' | 'atMs'>): void {
    const { index } = publication;
    const before = this.#owner;
    if (before !== undefined && before !== publication) this.#pass(before, publication);
    const { reason, gapMs } = this.onAir.switchTo(index, timestampMs, atMs);
    const left = this.#left;
    this.#left = undefined;
    publication.show();
    const withoutMs = left === undefined ? gapMs : Math.round(left.silentMs + atMs - left.atMs);
    if (withoutMs !== undefined)
      publication.note(SERVICE_CODES.backupOnAir, said(index, left?.why ?? reason, withoutMs));
    this.#comparedAtMs = atMs;
  }

  /** The lease of the air was lost: another process has it. */
  lostAir(publication: Member): void {
    if (this.#owner !== publication) return;
    this.#owner = undefined;
    this.onAir.leaveAir();
  }

  /** Gives the air to the process where the other input stream stands by. */
  #giveUp(why: SwitchReason): void {
    const owner = this.#owner;
    if (owner === undefined) return;
    const silentMs = this.#silentMs;
    this.#owner = undefined;
    this.#askedAtMs = NEVER;
    this.onAir.leaveAir();
    this.#left = undefined;
    this.#triedAtMs = this.#nowMs + BROADCAST_LIMITS.airLeftMs;
    void owner.giveUpAir().then(() => this.#tell('air-left', { why, silentMs }));
  }

  // ---------------------------------------------------------------- time

  tick(atMs: number, lateMs: number): void {
    this.onAir.tick(atMs, lateMs);
    if (this.#owner === undefined) {
      if (!this.#isTaking && atMs - this.#triedAtMs >= BROADCAST_LIMITS.airTryMs) this.#try();
      return;
    }
    if (this.#members.some((each) => each === undefined)) {
      if (this.onAir.isSilentOnAir(atMs) && this.#hasStandbyElsewhere) this.#giveUp('silent');
    }
    if (atMs - this.#comparedAtMs < BROADCAST_LIMITS.compareInputsMs) return;
    this.#comparedAtMs = atMs;
    this.#judgeBoth(atMs);
  }

  /** An input stream that stands by tries for the air: its holder may have died, or may want to give it up. */
  #try(): void {
    const publication = this.#candidate;
    if (publication === undefined) return;
    this.#tell('air-wanted');
    this.#takeFor().catch((error: unknown) => {
      this.#of.deps.log.debug({ error, liveVideoId: this.liveVideoId }, 'trying for the air failed');
    });
  }

  /** A silent one would only take the air from another. */
  get #candidate(): Member | undefined {
    return this.#members.find((each) => each !== undefined && !each.isSilentFor(this.#of.deps.settings.backupAfterMs));
  }

  async #takeFor(): Promise<void> {
    const lease = await this.takeAir();
    if (lease === undefined) return;
    const publication = this.#owner === undefined ? this.#candidate : undefined;
    if (publication === undefined) return void (await this.#of.deps.store.leases.release(lease));
    let live: LiveVideo;
    try {
      live = await this.#of.states.load(this.liveVideoId);
    } catch (error) {
      await this.#of.deps.store.leases.release(lease);
      throw error;
    }
    const { index } = publication;
    if (this.#owner !== undefined || this.#members[index] !== publication)
      return void (await this.#of.deps.store.leases.release(lease));
    this.#owner = publication;
    // Its holder died if it said nothing: then only the last packet that it reported is known.
    if (this.#left === undefined && live.data.stream === 'connected')
      this.#left = { why: 'lost', silentMs: BROADCAST_LIMITS.aliveMs, atMs: this.#nowMs };
    this.onAir.choose(index, this.#left?.why ?? 'lost');
    publication.enterAir(lease, live);
  }

  // ---------------------------------------------------------------- what others say

  /** The owner of the broadcast asks for this input stream. */
  putOnAir(inputStreamId: string): void {
    const index = this.#members.findIndex((each) => each?.inputStreamId === inputStreamId);
    if (index === 0 || index === 1) {
      this.#askedAtMs = NEVER;
      if (this.#owner !== undefined) this.onAir.choose(index, 'command');
    } else if (this.#hasStandbyElsewhere) this.#giveUp('command');
    else this.#askedAtMs = this.#nowMs;
  }

  wantedElsewhere(): void {
    this.#wantedAtMs = this.#nowMs;
    if (this.#nowMs - this.#askedAtMs < BROADCAST_LIMITS.airAskedMs) this.#giveUp('command');
  }

  leftElsewhere(left: LeftAir): void {
    if (this.#owner !== undefined) return;
    this.#left = { ...left, atMs: this.#nowMs };
    this.#try();
  }

  #tell(action: 'air-wanted' | 'air-left', left?: LeftAir): void {
    this.#of.elsewhere.tell(this.liveVideoId, action, left === undefined ? {} : { left });
  }

  // ---------------------------------------------------------------- the broadcast

  update(data: { readonly isBackupReturn?: boolean | undefined }): void {
    this.onAir.returns = data.isBackupReturn === true;
  }

  /** The one on air went LIVE, and the broadcast with it. */
  wentLive(atMs: number): void {
    this.#liveAtMs ??= atMs;
    for (const each of this.members) each.goLive(atMs);
    if (this.#hasStandbyElsewhere) this.#of.elsewhere.tell(this.liveVideoId, 'go-live');
  }

  /** The broadcast is over. */
  ended(reason: EndReason | undefined): void {
    const members = this.members;
    this.#members.fill(undefined);
    this.#owner = undefined;
    for (const each of members) each.end(reason);
    if (this.#hasStandbyElsewhere) this.#of.elsewhere.tell(this.liveVideoId, 'close', { reason });
  }

  // ---------------------------------------------------------------- both compared

  #judgeBoth(atMs: number): void {
    const owner = this.#owner;
    const standby = this.#members.find((each) => each !== undefined && each !== owner);
    if (owner === undefined) return;
    if (standby !== undefined) {
      const [onAir, health] = [owner.health(), standby.health()];
      for (const [index, each] of this.#members.entries())
        if (each !== undefined) this.onAir.judged(index === 0 ? 0 : 1, each.hasFaults, atMs);
      this.#compare(standby, inputDifferences(onAir, health));
      return;
    }
    this.#differing = '';
    const isDue = this.#liveAtMs !== undefined && atMs - this.#liveAtMs >= BROADCAST_LIMITS.backupDueMs;
    if (!isDue || this.#hasStandbyElsewhere) return;
    this.#liveAtMs = undefined;
    const absent = owner.index === 0 ? 1 : 0;
    owner.note(SERVICE_CODES.backupAbsent, `${NAMES[absent]} is not connected`);
  }

  /** Tells what differs when that changes, and clears it when nothing does. */
  #compare(standby: Member, changes: readonly SettingChange[]): void {
    const names = changes.map(({ setting }) => setting).join();
    if (names === this.#differing) return;
    this.#differing = names;
    standby.clearNoted(SERVICE_CODES.backupDiffers);
    if (changes.length > 0) standby.note(SERVICE_CODES.backupDiffers, saidDifferences(changes), { changes });
  }
}

function said(index: InputIndex, reason: SwitchReason, gapMs: number): string {
  const before = NAMES[other(index)];
  const why = {
    silent: `${before} was silent`,
    lost: `${before} was lost`,
    command: 'its owner put it on air',
    returned: `${NAMES[index]} sends well again`,
  }[reason];
  return `${NAMES[index]}, since ${why}; ${gapMs < 0 ? `overlap ${-gapMs}` : `gap ${gapMs}`} ms`;
}
