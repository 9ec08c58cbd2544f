/** The message of the reason with which a request's signal aborts when its client is gone. */
export const CLIENT_GONE = 'the client is gone';

/** Whether a request's signal was aborted because its client left, and not because the server stops. */
export function hasClientLeft({ aborted, reason }: AbortSignal): boolean {
  return aborted && reason instanceof DOMException && reason.message === CLIENT_GONE;
}
