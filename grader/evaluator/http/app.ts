import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { WaymarkError } from "../../../proxy/record/fault.ts";
import type { JsonObject, JsonValue } from "../../../proxy/record/json.ts";
import { stringifyJson } from "../../../proxy/record/json.ts";
import { OPERATIONS, type Operation, type OperationId } from "../api.ts";
import { checkBody } from "../check-body.ts";
import { Abandoned, TimeLimit } from "../lanes/lane.ts";
import { Refusal } from "../refusal.ts";
import { readJson } from "./body.ts";
import { SECURITY_HEADERS } from "./doors.ts";
import { dropLeftover } from "./leftover.ts";

/** A request as a handler gets it: checked, and with a signal that comes when the client is gone. */
export interface Ask {
  readonly id: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** The JSON body; undefined when the operation takes none. */
  readonly body: unknown;
  readonly signal: AbortSignal;
  readonly request: IncomingMessage;
}

export type Handler = (ask: Ask) => Promise<JsonObject | ReadableStream<Uint8Array>>;

export interface AppOptions {
  readonly handlers: Readonly<Record<OperationId, Handler>>;
  readonly knock: (request: IncomingMessage, open: boolean) => void;
  readonly mostBodyBytes: number;
  /** Comes when the server stops; what waits ends with it. */
  readonly stopping: AbortSignal;
  /** Binds what the page asks for. */
  readonly page?: (app: Hono<Env>, whenGone: (context: Context<Env>) => AbortSignal) => void;
  /** Told about what should be impossible; the client hears only that it happened. */
  readonly onBug: (error: unknown) => void;
}

export type Env = { Bindings: HttpBindings };

/** Binds every operation of the API to its handler. No answer ever shows a stack or a path of the server's own. */
export function createApp({ handlers, knock, mostBodyBytes, stopping, page, onBug }: AppOptions): Hono<Env> {
  const app = new Hono<Env>();
  const known: readonly Operation[] = OPERATIONS;
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
    const open = known.some(({ path, open }) => open === true && path === context.req.path);
    knock(context.env.incoming, open);
    await next();
  });
  for (const operation of OPERATIONS) {
    const path = operation.path.replaceAll(/\{(\w+)\}/g, ":$1");
    app.on(operation.method.toUpperCase(), path, async (context) => {
      const signal = whenGone(context.env.outgoing, stopping);
      const ask = await askOf(context, operation, { mostBodyBytes, signal });
      return respond(context, await handlers[operation.id](ask));
    });
  }
  page?.(app, (context) => whenGone(context.env.outgoing, stopping));
  app.notFound((context) => {
    const methods = known
      .filter(({ path }) => patternOf(path).test(context.req.path))
      .map(({ method }) => method.toUpperCase());
    if (methods.length === 0) return refuse(context, unknownPath(context.req.path, known));
    context.header("Allow", methods.join(", "));
    return refuse(
      context,
      new Refusal(
        405,
        "WM_SERVE_NOT_FOUND",
        `${context.req.path} takes ${methods.join(", ")}, not ${context.req.method}`,
      ),
    );
  });
  app.onError((error, context) => {
    if (error instanceof Refusal) return refuse(context, error);
    if (error instanceof WaymarkError)
      return refuse(
        context,
        new Refusal(statusOf(error), error.code, error.faults.map(({ message }) => message).join("; ")),
      );
    if (error instanceof TimeLimit)
      return refuse(context, new Refusal(503, "WM_SERVE_TIME_LIMIT", "this took longer than the server's time limit"));
    if (error instanceof Abandoned)
      return refuse(context, new Refusal(503, "WM_SERVE_STOPPING", "the server stops, or the client is gone"));
    onBug(error);
    return refuse(
      context,
      new Refusal(500, "WM_BUG", "waymark met a state that should be impossible; its log says which"),
    );
  });
  return app;
}

/** A log that is named and cannot be read is no failure of the server. */
function statusOf({ code }: WaymarkError): number {
  return code.startsWith("WM_LOG_") ? 404 : 500;
}

function unknownPath(path: string, known: readonly Operation[]): Refusal {
  return new Refusal(404, "WM_SERVE_NOT_FOUND", `there is nothing at ${path}`, {
    known: known.map((one) => `${one.method.toUpperCase()} ${one.path}`),
  });
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+").replaceAll(".", "\\.")}$`);
}

async function askOf(
  context: Context<Env>,
  operation: Operation,
  { mostBodyBytes, signal }: { mostBodyBytes: number; signal: AbortSignal },
): Promise<Ask> {
  const { incoming } = context.env;
  const query = operation.query === undefined ? {} : checkQuery(operation.query, context.req.query());
  const isJson = operation.body !== undefined && operation.body !== "binary";
  const body = isJson ? await readJson(incoming, mostBodyBytes, signal) : undefined;
  return { id: context.req.param("id") ?? "", query, body, signal, request: incoming };
}

function checkQuery(
  schema: NonNullable<Operation["query"]>,
  given: Record<string, string>,
): Readonly<Record<string, unknown>> {
  try {
    return checkBody(schema, given) as Readonly<Record<string, unknown>>;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(400, error.code, `query ${error.message}`, error.details);
  }
}

/** Aborts when the connection ends before the answer does, or the server stops. Leaves nothing behind. */
function whenGone(response: unknown, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController();
  const outgoing = response as ServerResponse;
  const stop = (): void => gone.abort();
  // by hand, since AbortSignal.any would hold every request that ever was in the signal that outlives them
  stopping.addEventListener("abort", stop, { once: true });
  outgoing.once("close", () => {
    stopping.removeEventListener("abort", stop);
    if (!outgoing.writableFinished) gone.abort();
  });
  return gone.signal;
}

function respond(context: Context<Env>, answer: JsonObject | ReadableStream<Uint8Array>): Response {
  if (answer instanceof ReadableStream) return context.body(answer, 200, { "Content-Type": "text/event-stream" });
  return context.body(`${stringifyJson(answer as JsonValue)}\n`, 200, { "Content-Type": "application/json" });
}

function refuse(context: Context<Env>, refusal: Refusal): Response {
  const { status, details } = refusal;
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.header(name, value);
  if (details.retryAfterSeconds !== undefined) context.header("Retry-After", String(details.retryAfterSeconds));
  if (status === 401) context.header("WWW-Authenticate", "Bearer");
  dropLeftover(context.env.incoming);
  return new Response(`${stringifyJson(refusal.toBody())}\n`, {
    status,
    headers: { ...Object.fromEntries(context.res.headers), "Content-Type": "application/json" },
  });
}
