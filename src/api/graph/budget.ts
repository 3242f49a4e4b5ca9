/**
 * Resource limits of one request, shared by all calls of a batch. Each call reserves its worst-case rows before it
 * reads and returns unused rows when it ends; calls that do not fit wait for that.
 */
import { parameterError, ServiceError } from '../../spec/service-errors.js';
import { API_LIMITS } from '../context/limits.js';

export interface Cost {
  readonly rows: number;
  /** The path of nested edges with the most rows, outermost first. */
  readonly path: readonly string[];
  /** Rows times requested fields; bounds concurrent calls, not the request. */
  readonly values?: number;
}

/** A large response's reservation of memory. */
export interface AnswerMemory {
  /** @throws ServiceError 2 when the wait takes too long */
  reserve(): Promise<void>;
}

const UNLIMITED: AnswerMemory = { reserve: async () => undefined };

interface Waiting {
  readonly cost: Cost;
  resolve(): void;
  reject(error: ServiceError): void;
}

export class QueryBudget {
  /** Bytes of JSON rendered so far. */
  bytes = 0;
  readonly #memory: AnswerMemory;
  #values = 0;
  #reserved = 0;
  #spent = 0;
  /** Values reserved by calls in progress. */
  #reservedValues = 0;
  #waiting: Waiting[] = [];

  constructor(memory = UNLIMITED) {
    this.#memory = memory;
  }

  /** Whether the request has used little of the event loop so far, and does not wait for large ones. */
  get isSmall(): boolean {
    return this.#values <= API_LIMITS.valuesUnsliced && !this.isLarge;
  }

  /** Whether the response needs memory of its own. */
  get isLarge(): boolean {
    return this.bytes > API_LIMITS.wholeJsonBytes;
  }

  addValues(count: number): void {
    this.#values += count;
  }

  /** Waits for the memory of a large response. */
  async memory(): Promise<void> {
    if (this.isLarge) await this.#memory.reserve();
  }

  /** @throws ServiceError 100 when the rows would not fit even with no other call running */
  async reserve(cost: Cost): Promise<void> {
    if (cost.rows > API_LIMITS.rowsPerAnswer) throw tooManyRows(cost);
    if (this.#waiting.length === 0 && this.#take(cost)) return;
    if (this.#reserved === 0) throw tooManyRows(cost);
    await new Promise<void>((resolve, reject) => this.#waiting.push({ cost, resolve, reject }));
  }

  /** Ends a call's reservation; `spent` of its rows were read. */
  release({ rows, values = rows }: Cost, spent: number): void {
    this.#reserved -= rows;
    this.#reservedValues -= values;
    this.#spent += spent;
    while (this.#waiting[0] !== undefined) {
      const [next] = this.#waiting;
      if (this.#take(next.cost)) next.resolve();
      else if (this.#reserved === 0) next.reject(tooManyRows(next.cost));
      else return;
      this.#waiting.shift();
    }
  }

  /** @throws ServiceError 1 once the response is too large */
  addBytes(bytes: number): void {
    this.bytes += bytes;
    if (this.bytes > API_LIMITS.answerBytes) throw tooManyBytes();
  }

  #take({ rows, values = rows }: Cost): boolean {
    if (this.#spent + this.#reserved + rows > API_LIMITS.rowsPerAnswer) return false;
    if (this.#reserved > 0 && this.#reservedValues + values > API_LIMITS.valuesAtOnce) return false;
    this.#reserved += rows;
    this.#reservedValues += values;
    return true;
  }
}

function tooManyRows({ rows, path }: Cost): ServiceError {
  const most = path.length === 0 ? '' : `, most of them in ${path.join('.')}`;
  return parameterError(
    `The request may read ${rows} rows${most}; a request and all calls of its batch may read ${API_LIMITS.rowsPerAnswer}. Reduce limit()`,
  );
}

function tooManyBytes(): ServiceError {
  return new ServiceError({
    code: 1,
    type: 'OAuthException',
    status: 500,
    message: "(#1) Please reduce the amount of data you're asking for, then retry your request",
    isTransient: false,
  });
}
