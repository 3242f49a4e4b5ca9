/** Every limit that a request can meet, with its reason. */
export const API_LIMITS = {
  /**
   * Urlencoded and JSON bodies, and of multipart ones everything except the contents of files, names included: a batch of
   * 50 calls is far below.
   */
  bodyBytes: 1024 * 1024,
  /**
   * Bodies in memory until their requests are answered, in bytes. Before a valid token has come only text is in memory: an
   * address may have four of the largest texts under way, and eight such addresses fill the total.
   */
  anonymousBodies: { total: 32 * 1024 * 1024, perHolder: 4 * 1024 * 1024 },
  /** The same with a valid token, by its owner, who may send the largest request: four files of `imageBytes` and a text. */
  verifiedBodies: { total: 96 * 1024 * 1024, perHolder: 42 * 1024 * 1024 },
  /** From the headers until a valid token: a text of `bodyBytes` at 300 kbit/s. With one an upload may take hours. */
  anonymousTextMs: 30_000,
  /** Instead, once a file is sent before its token: a file of `tokenlessFiles.perRequest` at 5 Mbit/s. */
  anonymousFileMs: 30 * 60_000,
  /** URLs longer than this are refused by Node itself (16 KiB of headers); this bounds what brackets expand to. */
  parameters: 1000,
  bracketDepth: 6,
  fieldsLength: 16 * 1024,
  fieldsDepth: 10,
  fieldsCount: 500,
  pageSizeDefault: 25,
  pageSizeMax: 100,
  /** An edge in an edge in an edge: with pages of the default size three levels are 16,275 rows. */
  edgesDepth: 3,
  /** Nested edges multiply: the most rows that a request may read, with all calls of its batch, are reserved before it reads. */
  rowsPerAnswer: 20_000,
  /** Of JSON, counted while it is rendered, over all calls of a batch: some hundred bytes for each of the rows above. */
  answerBytes: 16 * 1024 * 1024,
  /** JSON up to this is made in one piece, in about a millisecond. */
  wholeJsonBytes: 256 * 1024,
  /** Lists that one call reads at once: the edge of each row of a page goes to the store as one call. */
  listReads: 100,
  /** Objects, and entries of lists, that one call of the store brings: a few milliseconds at most. */
  objectsPerRead: 100,
  entriesPerRead: 500,
  /** How long large answers are rendered in one turn of the event loop: packets of streams wait no longer than that. */
  sliceMs: 8,
  /** A call that may read no more rows than this renders them at once. */
  rowsUnsliced: 250,
  ids: 50,
  batchCalls: 50,
  /** In the address and in the body of one call of a batch: a short reference may stand for a long result. */
  batchReferences: 100,
  /** Of values in JSON: what is deeper no parameter takes, and what walks along it would run out of stack. */
  jsonDepth: 32,
  captionsBytes: 200 * 1024,
  imageBytes: 10 * 1024 * 1024,
  /**
   * Files on the disk whose token has not come when they begin to arrive, in bytes. Of one request and of one address: the
   * largest file that the conventions allow in one form. In total: the disk that requests without a token may occupy.
   */
  tokenlessFiles: { perRequest: 1024 ** 3, perHolder: 1024 ** 3, total: 2 * 1024 ** 3 },
  /** Longest span of days that insights are asked for at once. */
  insightDays: 93,
} as const;
