import { NearmissError } from '../base/errors.js';
import { EngineAway } from '../index/engines/engine-away.js';
import { SeveralRowsError } from '../model/encoder/encoded-texts.js';

/** What a program can tell errors apart by; the status says the rest. */
export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'too_large'
  | 'unsupported_media_type'
  | 'unavailable'
  | 'overloaded'
  | 'timeout'
  | 'starting'
  | 'closing'
  | 'insufficient_storage'
  | 'reload_failed'
  | 'internal';

/** An error that the client is told about, as opposed to one that only the log may show. */
export class ApiError extends NearmissError {
  readonly statusCode: number;
  readonly code: ErrorCode;
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(
    statusCode: number,
    code: ErrorCode,
    message: string,
    options: { hint?: string; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, options);
    this.statusCode = statusCode;
    this.code = code;
    this.retryAfter = options.retryAfter;
  }
}

/** The body of every answer that is not a success. */
export interface ErrorBody {
  error: { code: ErrorCode; message: string; hint?: string; requestId?: string };
}

export function errorBody(error: ApiError, requestId?: string): ErrorBody {
  return { error: { code: error.code, message: error.message, hint: error.hint, requestId } };
}

const ENGINE_SECONDS = 5;

/** What the framework's own refusals are called here. */
const FRAMEWORK_ERRORS: Record<number, { code: ErrorCode; hint?: string }> = {
  403: { code: 'forbidden' },
  404: { code: 'not_found', hint: 'see /docs' },
  413: { code: 'too_large', hint: 'send fewer or shorter texts in one request' },
  415: { code: 'unsupported_media_type', hint: 'send JSON with Content-Type: application/json' },
};

/**
 * Turns whatever was thrown into what the client may know. Errors of the server itself stay in its log: their messages
 * name files.
 */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof SeveralRowsError) {
    return new ApiError(422, 'unavailable', error.message, { hint: error.hint, cause: error });
  }
  if (error instanceof EngineAway) {
    return new ApiError(503, 'unavailable', 'the search engine behind this server does not answer', {
      hint: 'try again later',
      retryAfter: ENGINE_SECONDS,
      cause: error,
    });
  }
  const status = statusOf(error);
  if (status !== undefined && status >= 400 && status < 500) {
    const { code, hint } = FRAMEWORK_ERRORS[status] ?? { code: 'bad_request' };
    return new ApiError(status, code, (error as Error).message, { hint, cause: error });
  }
  return new ApiError(500, 'internal', 'something went wrong in the server', {
    hint: "look for this request id in the server's log",
    cause: error,
  });
}

function statusOf(error: unknown): number | undefined {
  return error instanceof Error && 'statusCode' in error ? Number(error.statusCode) : undefined;
}
