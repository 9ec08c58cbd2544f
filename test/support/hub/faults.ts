// What goes wrong on the way of one answer with a file.

/** A request for bytes of a file, as a hub or its storage sees it. */
export interface FileRequest {
  readonly path: string;
  /** Bytes asked for; the whole file without a range. */
  readonly start: number;
  readonly end: number;
  readonly hasRange: boolean;
  /** From 0: of all requests for bytes of files. */
  readonly number: number;
}

/** What becomes of an answer. Several may come together. */
export interface Fault {
  /** Another status, without a body. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The connection is cut after so many bytes of the body. */
  readonly cutAfter?: number;
  /** The bit of the byte at this place of the file is another. */
  readonly flipAt?: number;
  /** Nothing more is sent after so many bytes, and the connection stays open. */
  readonly stallAfter?: number;
  /** Bytes of each piece, and ms between two of them. */
  readonly drip?: { readonly bytes: number; readonly everyMs: number };
  /** Ranges are not known: the whole file is sent with 200. */
  readonly ignoreRange?: boolean;
  /** Another Content-Range than what is sent. */
  readonly contentRange?: string;
  /** The file has so many bytes more, or fewer, than the tree says: Content-Length and what is sent. */
  readonly extraBytes?: number;
}

/** Decides what goes wrong with a request. */
export type FaultPlan = (request: FileRequest) => Fault | undefined;
