import { CATALOGUE, type FaultCode } from "../../proxy/record/fault.ts";
import type { JsonObject } from "../../proxy/record/json.ts";

export interface RefusalDetails {
  /** Where in the body it is, as a JSON pointer (RFC 6901); "" is the whole body. */
  readonly pointer?: string;
  /** The names that would have been right. */
  readonly known?: readonly string[];
  readonly fix?: string;
  readonly retryAfterSeconds?: number;
}

/** A request that is not carried out, with the answer that says why. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: FaultCode;
  readonly details: RefusalDetails;

  constructor(status: number, code: FaultCode, message: string, details: RefusalDetails = {}) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }

  /** The body of the answer. */
  toBody(): JsonObject {
    const { pointer, known, fix = CATALOGUE[this.code].fix } = this.details;
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(pointer === undefined ? {} : { pointer }),
        ...(known === undefined ? {} : { known }),
        fix,
      },
    };
  }
}

/** A JSON pointer (RFC 6901) from a path of keys and indices. */
export function pointerTo(path: readonly PropertyKey[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
