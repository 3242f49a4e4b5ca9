/** Limits on requests, each with its reason. */
export const API_LIMITS = {
  /** Age of an `appsecret_time`, either way: room for clocks that differ, and soon of no use to the finder of a logged proof. */
  proofMs: 5 * 60_000,
  /**
   * Urlencoded and JSON bodies, and everything in a multipart body except file contents (names included). A batch of
   * 50 calls is far smaller.
   */
  bodyBytes: 1024 * 1024,
  /**
   * Bytes of request bodies held in memory until the response. Before a valid token arrives only text is held in
   * memory: an address may send four of the largest texts concurrently, and eight such addresses fill the total.
   */
  anonymousBodies: { total: 32 * 1024 * 1024, perHolder: 4 * 1024 * 1024 },
  /**
   * Bounds with a valid token, per token owner: room for the largest request, four files of `imageBytes` and a text.
   */
  verifiedBodies: { total: 96 * 1024 * 1024, perHolder: 42 * 1024 * 1024 },
  /**
   * From the headers to a valid token: time for `bodyBytes` at 300 kbit/s. With a valid token an upload may take hours.
   */
  anonymousTextMs: 30_000,
  /** Time limit when a file precedes the token, enough for `tokenlessFiles.perRequest` at 5 Mbit/s. */
  anonymousFileMs: 30 * 60_000,
  /** Parameters per request; bounds the objects that bracket keys expand to. Node itself limits headers to 16 KiB. */
  parameters: 1000,
  bracketDepth: 6,
  /** Parts of a multipart body, each of which costs as much as ten parameters of a query. */
  multipartParts: 100,
  fieldsLength: 16 * 1024,
  /** Longer `fields` are parsed only once the token is verified. */
  unverifiedFields: 1_000,
  fieldsDepth: 10,
  fieldsCount: 500,
  pageSizeDefault: 25,
  pageSizeMax: 100,
  /** Levels of nested edges: at the default page size three levels are 16,275 rows. */
  edgesDepth: 3,
  /**
   * Rows that a request may read, including all calls of its batch; reserved in advance, since nested edges multiply.
   */
  rowsPerAnswer: 20_000,
  /** Bytes of rendered JSON over all calls of a batch: about 800 bytes for each of the rows above. */
  answerBytes: 16 * 1024 * 1024,
  /** JSON up to this size is serialized in one piece, in about a millisecond. */
  wholeJsonBytes: 256 * 1024,
  /** Concurrent list reads per call: the nested edges of one page of rows are read in one call of the store. */
  listReads: 100,
  /** Objects, and list entries, per call of the store: a few milliseconds at most. */
  objectsPerRead: 100,
  entriesPerRead: 500,
  /** Rendering time of large responses per event-loop turn, which other requests wait for. */
  sliceMs: 8,
  /**
   * Values (fields of rows, and objects read) of a request and all calls of its batch before it renders in slices: a page of
   * 100 rows with nine fields, about 10 ms.
   */
  valuesUnsliced: 1_000,
  /** Text of a batched call that takes as long to parse as a value to render. */
  charactersPerValue: 64,
  /**
   * Values that concurrent calls of a batch may render. Each call in progress holds its rows, and rows are read before the
   * first slice ends: two pages, or all calls of a batch of single objects.
   */
  valuesAtOnce: 2_000,
  /**
   * Bytes of responses larger than `wholeJsonBytes`: a request holds `answerBytes` while it renders, then the size of its
   * response until the client has read it. Three requests render concurrently, one of each holder.
   */
  largeAnswers: { total: 48 * 1024 * 1024, perHolder: 24 * 1024 * 1024 },
  /** Time for such a request to wait for its turn: as long as the queue of three others at 10 s each. */
  largeAnswerWaitMs: 30_000,
  /** Time for a client to read such a response: `answerBytes` at 2 Mbit/s. */
  largeAnswerReadMs: 60_000,
  ids: 50,
  batchCalls: 50,
  /** References per URL and per body of a batched call: a short reference may expand to a long result. */
  batchReferences: 100,
  /** Nesting of JSON values. No parameter is deeper, and recursion over deeper values could exhaust the stack. */
  jsonDepth: 32,
  /** Values of a JSON body, which is parsed in a millisecond: ten of the longest lists. A megabyte of `[1]` took 245. */
  jsonValues: 10_000,
  captionsBytes: 200 * 1024,
  imageBytes: 10 * 1024 * 1024,
  /**
   * Pixels of an image by its header: 6000 × 4000, a photo of a 24-megapixel camera. A browser takes 4 bytes a pixel to
   * show it, 96 MB; a PNG of 50 KB can announce a hundred times as many.
   */
  imagePixels: 24_000_000,
  /**
   * Bytes on disk of files that arrive before their token. Per request and per address: the largest file that the
   * conventions allow in one form. Total: the disk space that requests without a token may occupy.
   */
  tokenlessFiles: { perRequest: 1024 ** 3, perHolder: 1024 ** 3, total: 2 * 1024 ** 3 },
  /** Copyright references of a Page; each is compared with every stream. */
  referencesPerPage: 5_000,
  referenceRanges: 100,
  referencePages: 200,
  /** Forwards of a broadcast or an owner that are read: above every limit of the settings. */
  forwardsRead: 4_000,
  /** Longest range of one insights request, in days. */
  insightDays: 93,
} as const;
