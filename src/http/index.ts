// HTTP as any server of ours speaks it: a listener over exchangeable transports, a router, streams of frames. No endpoint.
export { allowsAnyPage, checkAllowedHost, checkAllowedOrigin } from './heads/allow-values.js';
export { httpCodes } from './errors.js';
export { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
export { listen, type Listener, type ListenerStats, type ListenOptions } from './listener.js';
export type { TransportChoice } from './choose-transport.js';
export {
  readBody,
  refuseBody,
  streamBody,
  type Decision,
  type FailedRequest,
  type Handler,
  type HeaderFields,
  type HttpHead,
  type HttpRequest,
  type HttpResponse,
  type StreamedRequest,
  type ToErrorResponse,
  type WholeOptions,
  type WrittenResponse,
} from './message.js';
export { isLoopbackHost } from './heads/names.js';
export { canSharePort } from './can-share-port.js';
export { bindError } from './bind-error.js';
export { checkListen } from './check-listen.js';
export { chooseTransport } from './choose-transport.js';
export { hasClientLeft } from './client-left.js';
export { createRouter, paramsOf, type PathRoute, type Router } from './router.js';
export type { HttpEvent } from './serve.js';
export { framedBody, isWatchable, type FrameOptions, type WatchableBody } from './bodies/framed-body.js';
export type { TlsOptions } from './tls.js';
