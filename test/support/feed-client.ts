/** A reader of the live feed over a real socket, for tests. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { FeedMessage } from '../../src/dashboard/view/protocol.js';
import type { ErrorView } from '../../src/spec/error-view.js';

type MessageOf<Type extends FeedMessage['type']> = Extract<FeedMessage, { type: Type }>;

export class FeedClient {
  readonly socket: WebSocket;
  readonly messages: FeedMessage[] = [];
  /** Code and reason, when the socket is closed. */
  readonly closed: Promise<{ code: number; reason: string }>;
  readonly #waiting = new Set<() => void>();

  constructor(url: string, headers: Readonly<Record<string, string>> = {}) {
    this.socket = new WebSocket(url, { headers });
    this.socket.on('message', (data) => {
      this.messages.push(JSON.parse(data.toString()));
      for (const look of [...this.#waiting]) look();
    });
    this.closed = once(this.socket, 'close').then(([code, reason]) => ({ code, reason: String(reason) }));
  }

  static async open(
    url: string,
    first?: object | string,
    headers?: Readonly<Record<string, string>>,
  ): Promise<FeedClient> {
    const client = new FeedClient(url, headers);
    await once(client.socket, 'open');
    if (first !== undefined) client.socket.send(typeof first === 'string' ? first : JSON.stringify(first));
    return client;
  }

  /** The first message, of those that came or will come, of this type that will do. */
  next<Type extends FeedMessage['type']>(
    type: Type,
    willDo: (message: MessageOf<Type>) => boolean = () => true,
  ): Promise<MessageOf<Type>> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.messages.find(
          (message): message is MessageOf<Type> => message.type === type && willDo(message as MessageOf<Type>),
        );
        if (found === undefined) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  of<Type extends FeedMessage['type']>(type: Type): MessageOf<Type>[] {
    return this.messages.filter((message): message is MessageOf<Type> => message.type === type);
  }

  records(broadcastId: string): ErrorView[] {
    return this.of('records').flatMap((message) => (message.broadcast_id === broadcastId ? [...message.records] : []));
  }

  revision(broadcastId: string): number {
    return Math.max(0, ...this.of('records').flatMap((m) => (m.broadcast_id === broadcastId ? [m.revision] : [])));
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }
}
