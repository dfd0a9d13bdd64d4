import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError, errorBody } from '../api-error.js';

const CAUSES: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'the headers are too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'the request took too long to arrive' },
};

/** Answers what was not even HTTP, or came too slowly. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = CAUSES[error.code ?? ''] ?? { status: 400, message: 'this is not valid HTTP' };
  const body = JSON.stringify(errorBody(new ApiError(status, 'bad_request', message)));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
