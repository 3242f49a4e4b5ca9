/** One forward of one broadcast: what it decides, and its connection. */
import type { Clock, ForwardNotice, ForwardReport, StoredForward } from '../../ports/index.js';
import { parsePublishUrl } from '../../rtmp/publish-url.js';
import { Forward } from '../core/forward.js';
import type { Packet } from '../core/packets.js';
import { Target, type TargetOptions } from '../target/target.js';

export interface LineDeps extends Pick<TargetOptions, 'reachable' | 'secureContext'> {
  readonly clock: Pick<Clock, 'monotonicMs' | 'wallMs'>;
  readonly random: () => number;
  /** Undefined: no key of this server opens it. */
  readonly unseal: (sealed: string) => string | undefined;
}

export class Line {
  readonly forward: Forward;
  readonly #deps: LineDeps;
  readonly #liveVideoId: string;
  readonly #passed: readonly string[];
  #stored: StoredForward;
  #target: Target | undefined;
  #reportedAtMs = Number.NEGATIVE_INFINITY;
  #reported = '';

  constructor(stored: StoredForward, liveVideoId: string, passed: readonly string[], deps: LineDeps) {
    this.#stored = stored;
    this.#liveVideoId = liveVideoId;
    this.#passed = passed;
    this.#deps = deps;
    this.forward = new Forward(termsOf(stored), deps.clock.monotonicMs(), deps.random);
  }

  get id(): string {
    return this.#stored.id;
  }

  get name(): string {
    return this.#stored.data.name;
  }

  get ownerId(): string {
    return this.#stored.data.ownerId;
  }

  /** It is of this forward, and sends to the same target. */
  isSame({ id, data }: StoredForward): boolean {
    return id === this.id && data.url === this.#stored.data.url && data.sealedKey === this.#stored.data.sealedKey;
  }

  change(stored: StoredForward): void {
    this.#stored = stored;
    this.forward.change(termsOf(stored), this.#nowMs);
    this.pump();
  }

  get #nowMs(): number {
    return this.#deps.clock.monotonicMs();
  }

  packet(packet: Packet): void {
    this.forward.packet(packet);
  }

  tick(): void {
    this.forward.tick(this.#nowMs);
    this.pump();
  }

  /** Opens or closes the connection as the forward wants, and sends what it has and the target takes. */
  pump(): void {
    const nowMs = this.#nowMs;
    const { forward } = this;
    if (forward.wantsConnection(nowMs) && this.#target === undefined) this.#connect(nowMs);
    const target = this.#target;
    if (target === undefined) return;
    if (!forward.isConnected) {
      this.#target = undefined;
      target.close();
      return;
    }
    while (target.hasRoom) {
      const out = forward.next();
      if (out === undefined) break;
      target.send(out);
    }
    target.flush();
    forward.progress(target.written, target.sinceMs, nowMs);
  }

  #connect(nowMs: number): void {
    const { forward } = this;
    const { url, sealedKey } = this.#stored.data;
    const { reachable, secureContext, clock, unseal } = this.#deps;
    forward.connecting(nowMs);
    const parsed = parsePublishUrl(url);
    const key = unseal(sealedKey);
    if (parsed === undefined || key === undefined) {
      forward.lost('its stream key cannot be opened with the server key: set it again', nowMs);
      return;
    }
    const options = { url: parsed, key, passed: this.#passed, reachable, secureContext, clock };
    const target: Target = new Target(options, {
      opened: (takesTracks) => forward.opened(this.#nowMs, takesTracks),
      said: (status) => forward.said(status),
      refused: (status, reason) => forward.refused(status, reason, this.#nowMs),
      lost: (reason) => forward.lost(reason, this.#nowMs),
      wrote: () => this.pump(),
    });
    this.#target = target;
  }

  /** The broadcast is over, or the forward is gone. */
  end(): void {
    this.forward.end(this.#nowMs);
    this.pump();
  }

  takeNotices(): readonly ForwardNotice[] {
    return this.forward.takeNotices();
  }

  /** The state, if it has changed or was not reported for `everyMs`. */
  report(everyMs: number): { readonly report: ForwardReport; readonly isChange: boolean } | undefined {
    const nowMs = this.#nowMs;
    const isChange = this.forward.state !== this.#reported;
    // Readers know from the forward itself that it is off.
    const isDue = this.forward.state !== 'off' && nowMs - this.#reportedAtMs >= everyMs;
    if (!isChange && !isDue) return undefined;
    this.#reported = this.forward.state;
    this.#reportedAtMs = nowMs;
    return { report: this.#view(nowMs), isChange };
  }

  #view(nowMs: number): ForwardReport {
    const { nextTryMs, sinceMs, ...view } = this.forward.view(nowMs);
    const wallMs = (monotonicMs: number): number => Math.round(this.#deps.clock.wallMs() + monotonicMs - nowMs);
    const remote = this.#target?.remote;
    return {
      forwardId: this.id,
      liveVideoId: this.#liveVideoId,
      ownerId: this.ownerId,
      name: this.#stored.data.name,
      ...view,
      sinceMs: wallMs(sinceMs),
      ...(nextTryMs === undefined ? {} : { nextTryMs: wallMs(nextTryMs) }),
      ...(remote === undefined ? {} : { remote }),
    };
  }
}

const termsOf = ({ data }: StoredForward) => ({ isEnabled: data.enabled, when: data.when });
