import type { InterceptorCounts } from "./interceptor.ts";

/** Counts of an interceptor that has seen nothing yet. */
export function newCounts(): InterceptorCounts {
  return {
    connections: 0,
    requests: 0,
    intercepted: 0,
    unread: 0,
    tunnelled: 0,
    plain: 0,
    unopened: 0,
    messages: 0,
    opaque: 0,
    unreadStreams: 0,
    passed: 0,
    upstreamErrors: 0,
    clientErrors: 0,
    refused: 0,
    keptIn: 0,
    hookErrors: 0,
  };
}
