/** Comments and reactions, published on the bus to followers of a broadcast. */

export interface Engagement {
  readonly what: 'comment' | 'reaction';
  readonly videoId: string;
  readonly fromId: string;
  readonly atMs: number;
  /** Comments. */
  readonly id?: string;
  readonly message?: string;
  /** Reactions. */
  readonly type?: string;
}
