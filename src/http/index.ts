// HTTP as any server of ours speaks it: a listener over exchangeable transports, a router, streams of frames. No endpoint.
export { allowsAnyPage, checkAllowedHost, checkAllowedOrigin } from './allow-values.js';
export { errorResponse } from './error-response.js';
export { httpCodes } from './errors.js';
export { DEFAULT_LIMITS, type HttpLimits } from './limits.js';
export { listen, type Listener, type ListenerStats, type ListenOptions } from './listener.js';
export type { TransportChoice } from './choose-transport.js';
export type { Handler, HttpRequest, HttpResponse } from './message.js';
export { isLoopbackHost } from './names.js';
export { createRouter, type Route } from './router.js';
export type { HttpEvent } from './serve.js';
export { framedBody, isWatchable, type FrameOptions, type WatchableBody } from './framed-body.js';
