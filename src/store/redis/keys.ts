/**
 * Key names. All keys of an object share the hash tag `{id}`, so that one transaction can span them in a cluster.
 *
 *   airlock:{id}            object: `version|kind|createdMs|updatedMs|json`
 *   airlock:{id}:c          counters, a hash
 *   airlock:{id}:edges      names of its edges, a set
 *   airlock:{id}:e:<edge>   sorted set, all scores 0: sixteen digits of the score, then the member
 *   airlock:{id}:m:<edge>   hash: member to `score|json`
 *   airlock:{alias}:a       the id that an alias points at
 *   airlock:{broadcast}:r:… the error log (scripts/records.ts)
 *   airlock:{key}:l, :fence a lease and its fence
 *   airlock:{alive}:h:<holder>  sign of life of a lease holder; one hash tag, so that a failover affects all of them alike
 *   airlock:{key}:v         a short-lived value
 *   airlock:{group}:g, :gi  a group of them, a hash: member to `end|json`; its members as they were set, a sorted set
 *   airlock:{format}:format the format of the store, a number
 */

export class RedisKeys {
  readonly prefix: string;

  constructor(prefix: string) {
    this.prefix = prefix;
  }

  /** The key of the object, and the prefix of all its other keys. */
  base(name: string): string {
    return `${this.prefix}:{${tag(name)}}`;
  }

  alive(holder: string): string {
    return `${this.prefix}:{alive}:h:${holder}`;
  }

  channel(topic: string): string {
    return `${this.prefix}:bus:${topic}`;
  }

  format(): string {
    return `${this.prefix}:{format}:format`;
  }

  intents(): string {
    return `${this.prefix}:{intents}:intents`;
  }
}

export function edgeKey(base: string, edge: string): string {
  return `${base}:e:${edge}`;
}

export function membersKey(base: string, edge: string): string {
  return `${base}:m:${edge}`;
}

export function paddedScore(score: number): string {
  return String(score).padStart(16, '0');
}

/** Escapes braces: a closing one would end the hash tag early, an opening one would look like its start. */
function tag(name: string): string {
  return name.replace(/[{}%]/g, encodeURIComponent);
}

/** Unescapes the name in a hash tag. */
export function nameOfTag(text: string): string {
  return text.replace(/%7B|%7D|%25/g, decodeURIComponent);
}
